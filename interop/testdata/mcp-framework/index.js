// An ordinary server with mcp-framework, which loads its parts from the directories beside this file:
// node index.js PACKAGE.JSON [http|sse PORT], where the first is that of the installed package. It does
// not start without a tool.
import { fileURLToPath, pathToFileURL } from "node:url";

const [base, type, port] = process.argv.slice(2);
globalThis.framework = await import(new URL("./dist/index.js", pathToFileURL(base)));
globalThis.zod = await import(new URL("../zod/index.js", pathToFileURL(base)));
const options = { port: Number(port), host: "127.0.0.1" };
const transport = { http: { type: "http-stream", options: { ...options, endpoint: "/mcp" } }, sse: { type: "sse", options } }[type] ?? { type: "stdio" };
const basePath = fileURLToPath(new URL(".", import.meta.url));
await new globalThis.framework.MCPServer({ name: "ordinary", version: "1.0.0", basePath, transport, logging: true }).start();
