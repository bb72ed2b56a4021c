// An ordinary server with @zuplo/mcp: node ordinary-zuplo.mjs PACKAGE.JSON PORT, where the first is
// that of the installed package, which handles requests as fetch has them.
import http from "node:http";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";

const [base, port] = process.argv.slice(2);
const load = (path) => import(new URL(path, pathToFileURL(base)));
const { MCPServer } = await load("./dist/server/index.js");
const { HTTPStreamableTransport } = await load("./dist/transport/httpstreamable.js");

const server = new MCPServer({ name: "ordinary", version: "1.0.0" });
const read = (uri) => ({ contents: [{ uri, mimeType: "text/plain", text: "hello" }] });
server.addResource("readme", "ordinary://readme", { description: "A text", mimeType: "text/plain" }, read);
server.addResource("user", { template: "ordinary://users/{id}" }, { description: "A user", mimeType: "text/plain" }, read);
const transport = new HTTPStreamableTransport();
await transport.connect();
server.withTransport(transport);

const own = new Set(["connection", "content-length", "host", "transfer-encoding"]); // of the connection, not of the request
http.createServer(async (req, res) => {
  const body = ["GET", "HEAD"].includes(req.method) ? undefined : Buffer.concat(await req.toArray());
  const headers = Object.entries(req.headers).filter(([name]) => !own.has(name));
  const response = await transport.handleRequest(new Request(`http://127.0.0.1:${port}${req.url}`, { method: req.method, headers, body }));
  res.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body) Readable.fromWeb(response.body).pipe(res);
  else res.end();
}).listen(Number(port), "127.0.0.1");
