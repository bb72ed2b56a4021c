// The official TypeScript SDK, version 1:
//   node ts1.mjs REVISION (http|sse) URL
//   node ts1.mjs REVISION stdio COMMAND [ARG...]
//   node ts1.mjs REVISION walk URL...
// It always offers the newest revision that it knows; the server chooses.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { steps, walks } from "./steps.mjs";

const [revision, kind, address, ...args] = process.argv.slice(2);
if (kind === "walk") {
  await walks([address, ...args], async (url) => {
    const client = new Client({ name: "ts1", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    return client;
  });
  process.exit();
}
const schemas = {
  "notifications/resources/updated": ResourceUpdatedNotificationSchema,
  "notifications/resources/list_changed": ResourceListChangedNotificationSchema,
};
const transport =
  kind === "stdio"
    ? new StdioClientTransport({ command: address, args })
    : kind === "sse"
      ? new SSEClientTransport(new URL(address))
      : new StreamableHTTPClientTransport(new URL(address));
const client = new Client({ name: "ts1", version: "1" });
await client.connect(transport);
await steps(client, {
  revision: client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion ?? revision,
  modern: false,
  on: (method, handler) => client.setNotificationHandler(schemas[method], handler),
  watch: async (uri) => {
    await client.subscribeResource({ uri });
    return () => client.unsubscribeResource({ uri });
  },
  end: () => transport.terminateSession?.(),
});
