// The server is away for five seconds during a subscription, with its port closed: does the client come back by itself, and hear of
// what changes then?
import { test } from "mcpcheck/vitest";
import { expect } from "vitest";
import { connect, text } from "./connect.js";

const it = test.extend({
  mockOptions: {
    world: {
      resources: [{ uri: "note:1", name: "one", text: "One." }],
      timeline: [{ after: { method: "resources/subscribe" }, at: "1s", refuse: "5s" }],
    },
  },
});

it("comes back and hears of changes", async ({ mock }) => {
  await using client = await connect(mock.url, {
    reconnectionOptions: { initialReconnectionDelay: 200, maxReconnectionDelay: 1000, reconnectionDelayGrowFactor: 1.5, maxRetries: 50 },
  });
  const changed: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", (n) => void changed.push(n.params.uri));
  await mock.admin.postJournalWait({ query: { kind: "http-request" }, timeout: "30s" }); // the stream for notifications
  await client.subscribeResource({ uri: "note:1" });
  const back = await mock.admin.postJournalWait({ query: { kind: "http-request" }, count: 2, timeout: "30s" });
  expect(back.met).toBe(true);
  await mock.admin.patchResource({ uri: "note:1" }, { text: "Two." });
  const heard = async () => {
    await mock.admin.postTouch({ uri: "note:1" });
    return changed;
  };
  await expect.poll(heard, { timeout: 30_000 }).toContain("note:1");
  expect(await text(client, "note:1")).toBe("Two.");
});
