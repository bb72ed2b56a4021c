// An ordinary server with mcp-lite and sessions: node ordinary-mcp-lite.mjs PACKAGE.JSON
// PORT, where the first is that of the installed package mcp-lite.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [base, port] = process.argv.slice(2);
const { McpServer, StreamableHttpTransport, InMemorySessionAdapter } = await import(new URL("./dist/index.js", pathToFileURL(base)));
const { serve } = await import(pathToFileURL(createRequire(base).resolve("@hono/node-server")));

const text = (uri, text) => ({ contents: [{ uri: uri.href, mimeType: "text/plain", text }] });
const server = new McpServer({ name: "ordinary", version: "1.0.0" })
  .resource("file:///config.json", { name: "Configuration", mimeType: "text/plain" }, (uri) => text(uri, "a=1"))
  .resource("repos://{owner}/{repo}", { description: "A repository" }, (uri, { owner, repo }) => text(uri, `${owner}/${repo}`));
const handle = new StreamableHttpTransport({ sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1024 }) }).bind(server);
serve({ fetch: (r) => (new URL(r.url).pathname === "/mcp" ? handle(r) : new Response(null, { status: 404 })), port: Number(port), hostname: "127.0.0.1" });
