// An ordinary server with FastMCP for TypeScript, the module of which is named first: over stdio, or over HTTP at a port.
const { FastMCP } = await import(process.argv[2]);
const port = process.argv[3];

const server = new FastMCP({ name: "ordinary", version: "1.0.0" });
server.addResource({
  uri: "ordinary://readme",
  name: "readme",
  mimeType: "text/plain",
  load: async () => ({ text: "hello" }),
});
server.addResourceTemplate({
  uriTemplate: "ordinary://users/{name}",
  name: "user",
  mimeType: "text/plain",
  arguments: [{ name: "name", required: true, complete: async () => ({ values: ["ann", "bob"] }) }],
  load: async ({ name }) => ({ text: "user " + name }),
});

await server.start(
  port
    ? { transportType: "httpStream", httpStream: { port: Number(port), host: "127.0.0.1" } }
    : { transportType: "stdio" },
);
