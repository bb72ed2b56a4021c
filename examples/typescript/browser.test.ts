// A client in a browser, on a page of another origin: do its requests get through, and can it read the headers of its session?
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { tmpdir } from "node:os";
import { test } from "mcpcheck/vitest";
import { build } from "vite";
import { expect } from "vitest";

const browser = (process.env.PATH ?? "").split(delimiter).map((d) => join(d, "chromium")).find(existsSync);

/** What runs on the page: it sends what came of it back. */
const script = `
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
async function use(url) {
  const transport = new StreamableHTTPClientTransport(new URL(url));
  const client = new Client({ name: "page", version: "1.0.0" });
  await client.connect(transport);
  const { contents } = await client.readResource({ uri: "note:1" });
  await transport.terminateSession();
  await client.close();
  return { text: contents[0].text, session: transport.sessionId !== undefined };
}
use(new URLSearchParams(location.search).get("mcp"))
  .catch((e) => ({ error: String(e) }))
  .then((result) => fetch("/result", { method: "POST", body: JSON.stringify(result) }));
`;

const it = test.extend({ mockOptions: { world: { resources: [{ uri: "note:1", name: "one", text: "One." }] } } });

it.skipIf(!browser)("works on a page of another origin", async ({ mock }) => {
  const directory = mkdtempSync(join(tmpdir(), "page-"));
  await build({
    logLevel: "error",
    plugins: [{ name: "page", resolveId: (id) => (id === "page" ? id : undefined), load: (id) => (id === "page" ? script : undefined) }],
    build: { outDir: directory, emptyOutDir: true, rollupOptions: { input: { page: "page" }, output: { entryFileNames: "page.js" } } },
  });
  const page = createServer();
  const result = new Promise<unknown>((done) =>
    page.on("request", (request, response) => {
      if (request.url === "/result") {
        let body = "";
        request.on("data", (data) => (body += data)).on("end", () => done(JSON.parse(body)));
        response.end();
      } else if (request.url === "/page.js") {
        response.setHeader("Content-Type", "text/javascript").end(readFileSync(join(directory, "page.js")));
      } else {
        response.setHeader("Content-Type", "text/html").end('<script type="module" src="/page.js"></script>');
      }
    }),
  );
  await new Promise<void>((done) => page.listen(0, "127.0.0.1", done));
  const address = `http://127.0.0.1:${(page.address() as AddressInfo).port}/?mcp=${encodeURIComponent(mock.url)}`;
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", `--user-data-dir=${join(directory, "profile")}`];
  const late = new Promise((_, fail) => setTimeout(fail, 100_000, new Error("the page has sent nothing")).unref());
  const child = spawn(browser as string, [...flags, address], { stdio: "ignore" });
  const ended = new Promise((done) => child.on("close", done));
  try {
    expect(await Promise.race([result, late])).toMatchObject({ text: "One." });
  } finally {
    child.kill("SIGKILL");
    await ended;
    page.close();
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
});
