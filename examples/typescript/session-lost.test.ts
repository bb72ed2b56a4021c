// The server ends the session, as it may at any time: does the client begin a new one when it is told 404?
import { SdkHttpError } from "@modelcontextprotocol/client";
import { test } from "mcpcheck/vitest";
import { expect } from "vitest";
import { connect, text } from "./connect.js";

const it = test.extend({ mockOptions: { world: { resources: [{ uri: "note:1", name: "one", text: "One." }] } } });

it("begins a new session", async ({ mock }) => {
  let client = await connect(mock.url);
  const read = async () => {
    try {
      return await text(client, "note:1");
    } catch (e) {
      if (!(e instanceof SdkHttpError) || e.status !== 404) throw e;
      await client.close();
      client = await connect(mock.url);
      return await text(client, "note:1");
    }
  };
  expect(await read()).toBe("One.");
  const { sessions } = await mock.admin.getSessions();
  await mock.admin.deleteSessionsId(sessions[0].id);
  expect(await read()).toBe("One.");
  await client[Symbol.asyncDispose]();
  expect(await mock.received("initialize", 2)).toHaveLength(2);
});
