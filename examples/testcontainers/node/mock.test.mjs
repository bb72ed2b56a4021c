// A mock in a container: `docker build --target mockserver -t mockserver .` makes the image.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { GenericContainer, Wait } from "testcontainers";

let mock;

before(async () => {
  mock = await new GenericContainer("mockserver")
    .withCommand(["--http", "0.0.0.0:8931", "--world", "small"])
    .withExposedPorts(8931)
    .withWaitStrategy(Wait.forHttp("/healthz", 8931))
    .start();
});
after(() => mock?.stop());

test("reads", async () => {
  // In the place of your client.
  const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
  const answer = await fetch(`http://${mock.getHost()}:${mock.getMappedPort(8931)}/mcp`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "resources/read",
      "Mcp-Name": "note:hello",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: "note:hello", _meta: meta } }),
  });
  assert.equal((await answer.json()).result.contents[0].text, "Hello, world!\n");
});
