// The server is upgraded to a newer revision of the protocol while it runs: does the client speak it from the next connection on?
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { test } from "mcpcheck/vitest";
import { expect } from "vitest";
import { text } from "./connect.js";

const it = test.extend({
  mockOptions: {
    world: {
      resources: [{ uri: "note:1", name: "one", text: "One." }],
      timeline: [{ after: { method: "resources/read" }, revisions: ["2025-11-25", "2026-07-28"] }],
    },
    args: ["--revision", "2025-11-25"],
  },
});

it("speaks the newer revision", async ({ mock }) => {
  const spoken = async () => {
    const client = new Client({ name: "example", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StreamableHTTPClientTransport(new URL(mock.url)));
    expect(await text(client, "note:1")).toBe("One.");
    const revision = client.getNegotiatedProtocolVersion();
    await client.close();
    return revision;
  };
  expect(await spoken()).toBe("2025-11-25");
  expect(await spoken()).toBe("2026-07-28");
});
