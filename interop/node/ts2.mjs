// The official TypeScript SDK, version 2:
//   node ts2.mjs REVISION (http|sse) URL
//   node ts2.mjs REVISION stdio COMMAND [ARG...]
//   node ts2.mjs REVISION walk URL...
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { steps, walks } from "./steps.mjs";

const [revision, kind, address, ...args] = process.argv.slice(2);
const modern = revision >= "2026-07-28";
const made = () =>
  new Client({ name: "ts2", version: "1" }, { versionNegotiation: { mode: modern ? { pin: revision } : "legacy" } });
if (kind === "walk") {
  await walks([address, ...args], async (url) => {
    const client = made();
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    return client;
  });
  process.exit();
}
const transport =
  kind === "stdio"
    ? new StdioClientTransport({ command: address, args })
    : kind === "sse"
      ? new SSEClientTransport(new URL(address))
      : new StreamableHTTPClientTransport(new URL(address));
const client = made();
await client.connect(transport);
await steps(client, {
  revision: client.getNegotiatedProtocolVersion(),
  modern,
  on: (method, handler) => client.setNotificationHandler(method, handler),
  watch: async (uri) => {
    if (modern) {
      const subscription = await client.listen({ resourceSubscriptions: [uri], resourcesListChanged: true });
      return () => subscription.close();
    }
    await client.subscribeResource({ uri });
    return () => client.unsubscribeResource({ uri });
  },
  end: () => transport.terminateSession?.(),
});
