// An ordinary server with tmcp: node ordinary-tmcp.mjs PACKAGE.JSON [PORT], where
// the first is that of the installed package tmcp. Without a port it speaks stdio.
import http from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [base, port] = process.argv.slice(2);
const load = (path) => import(new URL(path, pathToFileURL(base)));
const { McpServer } = await load("./src/index.js");

const server = new McpServer(
  { name: "ordinary", version: "1.0.0" },
  { adapter: undefined, pagination: { resources: { size: 2 } }, capabilities: { resources: { listChanged: true, subscribe: true }, completions: {} } },
);
const text = (uri, text) => ({ contents: [{ uri, mimeType: "text/plain", text }] });
for (const name of ["a", "b", "c"]) server.resource({ name, description: `Note ${name}`, uri: `notes://list/${name}` }, (uri) => text(uri, name));
server.template(
  { name: "user", description: "A user", uri: "users://{id}", complete: { id: (start) => ({ completion: { values: ["ann", "bob"].filter((x) => x.startsWith(start)) } }) } },
  (uri, { id }) => text(uri, id),
);

if (port) {
  const { HttpTransport } = await load("../@tmcp/transport-http/src/index.js");
  const { toNodeHandler } = await import(pathToFileURL(createRequire(base).resolve("srvx/node")));
  const transport = new HttpTransport(server, { path: "/mcp" });
  http.createServer(toNodeHandler(async (r) => (await transport.respond(r)) ?? new Response(null, { status: 404 }))).listen(Number(port), "127.0.0.1");
} else {
  const { StdioTransport } = await load("../@tmcp/transport-stdio/src/index.js");
  new StdioTransport(server).listen();
}
