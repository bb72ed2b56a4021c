// An ordinary server with mcp-use: node ordinary-mcp-use.mjs PACKAGE.JSON PORT, where
// the first is that of the installed package mcp-use.
import { pathToFileURL } from "node:url";

const [base, port] = process.argv.slice(2);
const { MCPServer, text } = await import(new URL("./dist/index-node.js", pathToFileURL(base)));
const server = new MCPServer({ name: "ordinary", version: "1.0.0" });
server.resource({ name: "config", uri: "app://config", description: "Configuration" }, async () => text("a=1"));
await server.listen(Number(port));
