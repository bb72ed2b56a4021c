// A bearer token is good for two reads and has expired then: does the client fetch a new one, and go on in its session?
import { createHash } from "node:crypto";
import { test } from "mcpcheck/vitest";
import { expect } from "vitest";
import { connect, text } from "./connect.js";

// By its fingerprint one token of an owner expires alone; by the name of the owner all would.
const fingerprint = createHash("sha256").update("first").digest("hex").slice(0, 12);

const it = test.extend({
  mockOptions: {
    world: {
      resources: [{ uri: "note:1", name: "one", text: "One." }],
      timeline: [{ after: { method: "resources/read", count: 2 }, expireTokens: [fingerprint] }],
    },
    args: ["--token-env", "TOKENS"],
    env: { TOKENS: "first@alice,second@alice" },
  },
});

it("refreshes its token within the session", async ({ mock }) => {
  let current = "first";
  await using client = await connect(mock.url, {
    authProvider: {
      token: async () => current,
      onUnauthorized: async () => {
        current = "second";
      },
    },
  });
  for (let i = 0; i < 4; i++) expect(await text(client, "note:1")).toBe("One.");
  expect(current).toBe("second");
  expect(await mock.received("initialize")).toHaveLength(1); // the session is the same
});
