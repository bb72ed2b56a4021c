// The official TypeScript SDKs as OAuth clients, which know nothing but the URL:
//   node oauth.mjs (ts1|ts2) URL ADMIN
import assert from "node:assert/strict";

const [sdk, url, admin] = process.argv.slice(2);
const { Client, StreamableHTTPClientTransport, UnauthorizedError } =
  sdk === "ts2"
    ? await import("@modelcontextprotocol/client")
    : {
        ...(await import("@modelcontextprotocol/sdk/client/index.js")),
        ...(await import("@modelcontextprotocol/sdk/client/streamableHttp.js")),
        ...(await import("@modelcontextprotocol/sdk/client/auth.js")),
      };

// A provider that goes where a browser would be sent.
const redirectUrl = "http://localhost:7777/callback";
let answer, information, tokens, verifier;
const authProvider = {
  redirectUrl,
  clientMetadata: {
    client_name: sdk,
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  },
  state: () => "opaque",
  clientInformation: () => information,
  saveClientInformation: (it) => void (information = it),
  tokens: () => tokens,
  saveTokens: (it) => void (tokens = it),
  codeVerifier: () => verifier,
  saveCodeVerifier: (it) => void (verifier = it),
  async redirectToAuthorization(to) {
    assert.equal(answer, undefined, "the user is asked once");
    const response = await fetch(to, { redirect: "manual" });
    answer = new URL(response.headers.get("location")).searchParams;
    assert.equal(answer.get("state"), "opaque");
  },
};

const transport = () => new StreamableHTTPClientTransport(new URL(url), { authProvider });
const refused = transport();
await assert.rejects(new Client({ name: sdk, version: "1" }).connect(refused), UnauthorizedError);
await refused.finishAuth(sdk === "ts2" ? answer : answer.get("code"));

const client = new Client({ name: sdk, version: "1" });
await client.connect(transport());
const read = async () => assert.equal((await client.readResource({ uri: "note:shopping" })).contents.length, 1);
await read();
const before = tokens.access_token;
const expired = await fetch(`${admin}/oauth/expire`, { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
assert.deepEqual(await expired.json(), { tokens: 1 });
await read();
assert.notEqual(tokens.access_token, before);
await client.close();
