// Two suites share one mock, each in a namespace with world, rules and journal of its own: does neither see the other?
import { Admin } from "mcpcheck/admin";
import { test } from "mcpcheck/vitest";
import { expect } from "vitest";
import { connect, text } from "./connect.js";

test("neither sees the other", async ({ mock }) => {
  await Promise.all(
    ["suite-a", "suite-b"].map(async (name) => {
      await mock.admin.postNamespaces({ name, world: { resources: [{ uri: "note:1", name: "one", text: `For ${name}.` }] } });
      const admin = new Admin(`${mock.admin.address}/namespaces/${name}`);
      await using client = await connect(`${mock.url}/${name}`);
      expect(await text(client, "note:1")).toBe(`For ${name}.`);
      await admin.postRules({ method: "resources/read", count: 1, fail: { code: -32050, message: `${name} is on fire` } });
      await expect(text(client, "note:1")).rejects.toThrow(`${name} is on fire`);
      const reads = await admin.postJournalAssert({ query: { kind: "request", method: "resources/read" }, exactly: 2 });
      expect(reads.message ?? "").toBe("");
    }),
  );
});
