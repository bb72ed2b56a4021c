// What each client does, and the outcome that it writes down: the same operations, in
// the same form, as the clients in Go (see the package clients/outcome).
import { writeFileSync } from "node:fs";

export const uris = {
  text: "note:hello",
  blob: "note:dot",
  escaped: "file:///a%20b/%E2%82%AC?x=1&y=%2F",
  expanded: "city:rome",
  clock: "note:clock",
  missing: "note:missing",
};

export function write(outcome) {
  writeFileSync(process.env.MCPCHECK_OUTCOME, JSON.stringify(outcome));
}

/** Follows the cursors of a list to its end. */
async function all(page, field) {
  const found = [];
  let cursor;
  do {
    const result = await page(cursor === undefined ? undefined : { cursor });
    found.push(...result[field]);
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  return found;
}

/**
 * Runs a connected client through the operations. watch(uri) subscribes to a resource
 * and returns the function that ends the subscription; on(method, handler) registers
 * handlers for notifications, end() ends the session.
 */
export async function steps(client, { revision, modern, on, watch, end }) {
  const outcome = { revision };
  const updated = new Promise((done) => on("notifications/resources/updated", (n) => done(n.params.uri)));
  const changed = new Promise((done) => on("notifications/resources/list_changed", () => done(true)));
  outcome.resources = (await all((p) => client.listResources(p), "resources")).map((r) => r.uri);
  outcome.templates = (await all((p) => client.listResourceTemplates(p), "resourceTemplates")).map((t) => t.uriTemplate);
  const completed = await client.complete({
    ref: { type: "ref/resource", uri: "city:{name}" },
    argument: { name: "name", value: "par" },
  });
  outcome.completed = completed.completion.values;
  if (!modern) {
    await client.ping();
    outcome.pinged = true;
  }
  for (const name of ["text", "blob", "escaped", "expanded"]) {
    const { contents } = await client.readResource({ uri: uris[name] });
    outcome[name] = contents.map((c) => c.text ?? c.blob).join("");
  }
  try {
    await client.readResource({ uri: uris.missing });
  } catch (e) {
    outcome.notFound = e.code;
  }
  const stop = await watch(uris.clock);
  outcome.updated = await updated;
  outcome.listChanged = await changed;
  await stop();
  outcome.unsubscribed = true;
  await end(); // the SDKs leave it to their users to end a session of Streamable HTTP
  await client.close();
  write(outcome);
}

/**
 * Walks through the servers at some addresses: lists all that they have, and reads every
 * resource. open(url) connects a client.
 */
export async function walks(urls, open) {
  const outcome = {};
  for (const url of urls) {
    const walk = (outcome[url] = { resources: [], templates: [], refused: {}, error: "" });
    try {
      const client = await open(url);
      walk.resources = (await all((p) => client.listResources(p), "resources")).map((r) => r.uri);
      walk.templates = (await all((p) => client.listResourceTemplates(p), "resourceTemplates")).map((t) => t.uriTemplate);
      for (const uri of walk.resources) {
        await client.readResource({ uri }).catch((e) => (walk.refused[uri] = String(e)));
      }
      await client.close();
    } catch (e) {
      walk.error = String(e);
    }
  }
  write(outcome);
}
