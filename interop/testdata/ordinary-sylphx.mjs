// An ordinary server with @sylphx/mcp-server-sdk: node ordinary-sylphx.mjs PACKAGE.JSON [PORT], where
// the first is that of the installed package. Without a port it speaks stdio.
import { pathToFileURL } from "node:url";

const [base, port] = process.argv.slice(2);
const { createServer, http, resource, resourceTemplate, resourceText, stdio } = await import(new URL("./dist/index.js", pathToFileURL(base)));
const readme = resource().uri("ordinary://readme").mimeType("text/plain").description("A text").handler(({ uri }) => resourceText(uri, "hello"));
const user = resourceTemplate().uriTemplate("ordinary://users/{id}").description("A user").handler(({ uri, params }) => resourceText(uri, params.id));
const transport = port ? http({ port: Number(port), hostname: "127.0.0.1" }) : stdio();
await createServer({ name: "ordinary", version: "1.0.0", resources: { readme }, resourceTemplates: { user }, transport }).start();
