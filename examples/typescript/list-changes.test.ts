// A resource goes while the client is between two pages: does it notice, and end up with the list as it is?
import { test } from "mcpcheck/vitest";
import { expect } from "vitest";
import { connect } from "./connect.js";

const it = test.extend({
  mockOptions: {
    world: { resources: ["a", "b", "c", "d", "e", "f"].map((name) => ({ uri: `note:${name}`, name })) },
    args: ["--page-size", "2"],
  },
});

it("reads the list anew that has changed", async ({ mock }) => {
  await using client = await connect(mock.url);
  let changes = 0;
  client.setNotificationHandler("notifications/resources/list_changed", () => void changes++);
  await mock.admin.postJournalWait({ query: { kind: "event" }, timeout: "30s" }); // the stream for notifications

  /** All URIs, of lists that did not change meanwhile. */
  const list = async (between: () => Promise<void>): Promise<string[]> => {
    const before = changes;
    const uris: string[] = [];
    for (let cursor: string | undefined; ; ) {
      // Without a cursor listResources would fetch all pages by itself.
      const page = await client.request({ method: "resources/list", params: cursor === undefined ? {} : { cursor } });
      uris.push(...page.resources.map((r) => r.uri));
      cursor = page.nextCursor;
      if (cursor === undefined) break;
      await between();
    }
    return changes === before ? uris : list(async () => {});
  };
  const gone = async () => {
    if (changes > 0) return;
    await mock.admin.deleteResource({ uri: "note:a" });
    await expect.poll(() => changes, { timeout: 30_000 }).toBe(1);
  };
  expect(await list(gone)).toEqual(["note:b", "note:c", "note:d", "note:e", "note:f"]);
});
