// An ordinary server with LiteMCP over stdio: node ordinary-litemcp.mjs PACKAGE.JSON,
// which is that of the installed package litemcp.
import { pathToFileURL } from "node:url";

const { LiteMCP } = await import(new URL("./dist/index.js", pathToFileURL(process.argv[2])));
const server = new LiteMCP("ordinary", "1.0.0");
server.addResource({ uri: "file:///logs/app.log", name: "Log", mimeType: "text/plain", load: async () => ({ text: "a line" }) });
server.addResource({ uri: "images://one", name: "Image", mimeType: "application/octet-stream", load: async () => ({ blob: "AAECAw==" }) });
server.start();
