// An ordinary server with @hono/mcp, a transport for each session: node ordinary-hono.mjs
// PACKAGE.JSON PORT, where the first is that of the installed package @hono/mcp.
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [base, port] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(createRequire(base).resolve(name)));
const { StreamableHTTPTransport } = await import(new URL("./dist/index.mjs", pathToFileURL(base)));
const { McpServer, ResourceTemplate } = await load("@modelcontextprotocol/sdk/server/mcp.js");
const { Hono } = await load("hono");
const { serve } = await load("@hono/node-server");

function ordinary() {
  const server = new McpServer({ name: "ordinary", version: "1.0.0" });
  server.registerResource("config", "config://app", { mimeType: "text/plain" }, (uri) => ({ contents: [{ uri: uri.href, mimeType: "text/plain", text: "a=1" }] }));
  const template = new ResourceTemplate("greeting://{name}", { list: undefined, complete: { name: (start) => ["ann", "bob"].filter((x) => x.startsWith(start)) } });
  server.registerResource("greeting", template, { mimeType: "text/plain" }, (uri, { name }) => ({ contents: [{ uri: uri.href, mimeType: "text/plain", text: name }] }));
  return server;
}

const sessions = new Map();
const app = new Hono();
app.all("/mcp", async (c) => {
  const id = c.req.header("mcp-session-id");
  let transport = id && sessions.get(id);
  if (id && !transport) return c.json({ jsonrpc: "2.0", error: { code: -32001, message: "Session not found" }, id: null }, 404);
  if (!transport) {
    transport = new StreamableHTTPTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport),
      onsessionclosed: (id) => sessions.delete(id),
    });
    await ordinary().connect(transport);
  }
  return transport.handleRequest(c);
});
serve({ fetch: app.fetch, port: Number(port), hostname: "127.0.0.1" });
