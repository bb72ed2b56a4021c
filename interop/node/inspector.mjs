// The command line of MCP Inspector, one call for each operation:
//   node inspector.mjs REVISION (http|sse) URL
//   node inspector.mjs REVISION stdio COMMAND [ARG...]
//   node inspector.mjs REVISION walk URL...
// It shows neither the revision, for which the mock server answers, nor the code of an error.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";
import { uris, walks, write } from "./steps.mjs";

const [revision, kind, ...address] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const program = join(here, "node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js");
const era = revision >= "2026-07-28" ? "modern" : "legacy";
// It keeps files in the home directory of the user, which are none of its business here. What a call
// costs is loading the program, so that Node.js keeps it compiled.
const home = mkdtempSync(join(tmpdir(), "inspector-"));
process.on("exit", () => rmSync(home, { recursive: true, force: true }));
const env = { ...process.env, HOME: home, USERPROFILE: home, NODE_COMPILE_CACHE: join(here, "compiled") };

/** Calls the command line. */
function call(...args) {
  return kind === "stdio" ? run("--transport", "stdio", ...args, "--", ...address) : run("--transport", kind, "--server-url", address[0], ...args);
}

function run(...target) {
  const common = ["--cli", "--format", "json", "--quiet", "--protocol-era", era];
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [program, ...common, ...target], { env, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (data) => (stdout += data));
    child.stderr.on("data", (data) => (stderr += data));
    child.on("error", failed);
    child.on("close", (code) => done({ code, stdout, stderr }));
  });
}

function parsed(args, { code, stdout, stderr }) {
  if (code !== 0) throw new Error(`${args.join(" ")}: exit ${code}: ${stderr}`);
  const shown = JSON.parse(stdout);
  return shown.result ?? shown;
}

async function result(...args) {
  return parsed(args, await call(...args));
}

if (kind === "walk") {
  // A call takes about a second: of each server it sees the resources alone.
  await walks(address, async (url) => ({
    listResources: async () => parsed([url], await run("--transport", "http", "--server-url", url, "--method", "resources/list")),
    listResourceTemplates: async () => ({ resourceTemplates: [] }),
    readResource: async () => {},
    close: async () => {},
  }));
  process.exit();
}

const outcome = { revision };
outcome.resources = (await result("--method", "resources/list")).resources.map((r) => r.uri);
outcome.templates = (await result("--method", "resources/templates/list")).resourceTemplates.map((t) => t.uriTemplate);
for (const name of ["text", "blob", "escaped", "expanded"]) {
  const { contents } = await result("--method", "resources/read", "--uri", uris[name]);
  outcome[name] = contents.map((c) => c.text ?? c.blob).join("");
}
const missing = await call("--method", "resources/read", "--uri", uris.missing);
if (missing.code === 0 || !/not found/i.test(missing.stderr)) throw new Error(`the missing resource: exit ${missing.code}: ${missing.stderr}`);
write(outcome);
