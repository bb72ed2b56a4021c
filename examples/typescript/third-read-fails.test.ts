// The third read is answered with 503, and the next ones work again: does the client try once more?
import { test } from "mcpcheck/vitest";
import { expect } from "vitest";
import { connect, text } from "./connect.js";

const it = test.extend({
  mockOptions: {
    world: { resources: [{ uri: "note:1", name: "one", text: "One." }] },
    args: ["--fail", "http503:method=resources/read:skip=2:count=1"],
  },
});

it("tries a read that failed once more", async ({ mock }) => {
  await using client = await connect(mock.url);
  const retried = async () => {
    try {
      return await text(client, "note:1");
    } catch {
      return await text(client, "note:1");
    }
  };
  for (let i = 0; i < 4; i++) expect(await retried()).toBe("One.");
  expect(await mock.received("resources/read", 5)).toHaveLength(5);
});
