// The server demands tokens, and is its own authorization server: does a client that knows nothing but the URL get in, and refresh
// its token when it has expired?
import { Client, StreamableHTTPClientTransport, UnauthorizedError, type OAuthClientProvider } from "@modelcontextprotocol/client";
import { test } from "mcpcheck/vitest";
import { expect } from "vitest";
import { text } from "./connect.js";

const it = test.extend({ mockOptions: { world: { resources: [{ uri: "note:1", name: "one", text: "One." }] }, args: ["--oauth"] } });

it("gets in, and refreshes its token", async ({ mock }) => {
  const redirectUrl = "http://localhost:7777/callback"; // nothing has to listen there
  let [information, tokens, verifier, discovery]: [any?, any?, string?, any?] = [];
  let answer: URLSearchParams | undefined;
  const authProvider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { client_name: "example", redirect_uris: [redirectUrl], token_endpoint_auth_method: "none" },
    clientInformation: () => information,
    saveClientInformation: (i) => void (information = i),
    tokens: () => tokens,
    saveTokens: (t) => void (tokens = t),
    codeVerifier: () => verifier as string,
    saveCodeVerifier: (v) => void (verifier = v),
    discoveryState: () => discovery,
    saveDiscoveryState: (d) => void (discovery = d),
    // Where a browser would be sent: the user of the mock approves at once.
    redirectToAuthorization: async (to) => {
      const { headers } = await fetch(to, { redirect: "manual" });
      answer = new URL(headers.get("location") as string).searchParams;
    },
  };
  const transport = () => new StreamableHTTPClientTransport(new URL(mock.url), { authProvider });

  const refused = transport();
  await expect(new Client({ name: "example", version: "1.0.0" }).connect(refused)).rejects.toThrow(UnauthorizedError);
  await refused.finishAuth(answer as URLSearchParams);

  const client = new Client({ name: "example", version: "1.0.0" });
  const connection = transport();
  await client.connect(connection);
  expect(await text(client, "note:1")).toBe("One.");
  const before = tokens.access_token;
  await mock.admin.postOauthExpire({});
  expect(await text(client, "note:1")).toBe("One.");
  expect(tokens.access_token).not.toBe(before);
  await connection.terminateSession();
  await client.close();
});
