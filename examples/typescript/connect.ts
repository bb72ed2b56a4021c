import { Client, StreamableHTTPClientTransport, type StreamableHTTPClientTransportOptions } from "@modelcontextprotocol/client";

/** A client of the official SDK that is connected over HTTP; its session ends with it. */
export async function connect(url: string, options?: StreamableHTTPClientTransportOptions) {
  const transport = new StreamableHTTPClientTransport(new URL(url), options);
  const client = new Client({ name: "example", version: "1.0.0" });
  await client.connect(transport);
  return Object.assign(client, {
    async [Symbol.asyncDispose]() {
      await transport.terminateSession();
      await client.close();
    },
  });
}

/** The text of a resource. */
export async function text(client: Client, uri: string) {
  const { contents } = await client.readResource({ uri });
  return contents.map((c) => ("text" in c ? c.text : "")).join("");
}
