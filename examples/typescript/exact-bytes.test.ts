// A read is answered with exactly these bytes, over which parsers differ: what does the client make of them?
import { test } from "mcpcheck/vitest";
import { expect } from "vitest";
import { connect, text } from "./connect.js";

const answer = (id: unknown) =>
  `{"jsonrpc":"2.0", "id":${JSON.stringify(id)},\n "result":{"contents":[{"uri":"note:1","text":"first","text":"\\ud83d\\ude00 \\u0041"}]}}\n`;

const it = test.extend({ mockOptions: { world: { resources: [{ uri: "note:1", name: "one", text: "One." }] } } });

it("takes the last of two members, as JSON.parse does", async ({ mock }) => {
  await using client = await connect(mock.url);
  expect(await text(client, "note:1")).toBe("One.");
  const [read] = await mock.received("resources/read");
  await mock.admin.postRules({
    method: "resources/read",
    do: [{ on: "request", answer: { raw: answer(Number(read.id) + 1), header: { "Content-Type": "application/json" } } }],
  });
  expect(await text(client, "note:1")).toBe("\u{1f600} A");
});
