import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Admin } from "./admin.js";
import { program } from "./program.js";

/** How long a mock may take to begin, in milliseconds. */
const patience = 30_000;

/** How much of what a mock writes to its standard error is kept, in characters. */
const kept = 64 << 10;

/** Starts a mock server on a free port of this machine, and waits until it listens. */
export async function startMock({ world, args = [], env = {}, program: path = program("mockserver") } = {}) {
  const directory = await mkdtemp(join(tmpdir(), "mcpcheck-mock-"));
  try {
    if (typeof world === "object") {
      const file = join(directory, "world.json");
      await writeFile(file, JSON.stringify(world));
      world = file;
    }
    const served = world === undefined ? args : ["--world", world, ...args];
    const all = ["--http", "127.0.0.1:0", "--admin", "127.0.0.1:0", ...served];
    const child = spawn(path, all, { env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "pipe"] });
    const mock = new Mock(child, directory, [path, "--stdio", ...served]);
    await mock.begun();
    return mock;
  } catch (e) {
    await rm(directory, { recursive: true, force: true });
    throw e;
  }
}

/** A mock server that runs. */
export class Mock {
  #child;
  #directory;
  #errors = "";
  #kill = () => this.#child.kill("SIGKILL");

  constructor(child, directory, stdio) {
    this.#child = child;
    this.#directory = directory;
    this.stdio = { command: stdio[0], args: stdio.slice(1) };
    process.on("exit", this.#kill);
  }

  /** Waits for the lines with the addresses. */
  begun() {
    return new Promise((done, failed) => {
      const fail = (why) => {
        clearTimeout(timer);
        this.#child.kill("SIGKILL");
        process.off("exit", this.#kill);
        const errors = this.#errors.replaceAll(join(this.#directory, "world.json:1: "), "");
        failed(new Error(`the mock server did not begin: ${why}\n${errors}`));
      };
      const timer = setTimeout(() => fail(`it did not listen in ${patience} ms`), patience);
      this.#child.once("error", (e) => fail(e.message));
      this.#child.once("close", (code) => fail(`it ended with status ${code}`));
      this.#child.stderr.setEncoding("utf8").on("data", (text) => {
        this.#errors = (this.#errors + text).slice(-kept);
        const listening = /listening on (\S+)\/mcp /.exec(this.#errors);
        const admin = /admin interface on (\S+)/.exec(this.#errors);
        if (this.admin || !listening || !admin) return;
        clearTimeout(timer);
        this.url = `${listening[1]}/mcp`;
        this.sse = `${listening[1]}/sse`;
        this.admin = new Admin(admin[1]);
        done();
      });
    });
  }

  /** Waits until the client has sent so many requests or notifications with a method, and returns their journal entries. */
  async received(method, count = 1, { timeout = "5s", ...query } = {}) {
    const outcome = await this.admin.postJournalWait({ query: { ...query, kinds: ["request", "notification"], method }, count, timeout });
    if (!outcome.met) throw new Error(outcome.message);
    return outcome.entries ?? [];
  }

  /** Judges the clients by what they have sent so far; fails if one has broken a requirement. */
  async verify(how = {}) {
    const report = await this.admin.postVerify(how);
    if (report.summary.fail === 0) return report;
    const found = report.results.filter((r) => r.verdict === "fail");
    const lines = found.map((r) => `${r.id} ${r.title} (${r.revision}, ${r.transport}): expected ${r.expected}; actual: ${r.actual}. ${r.hint ?? ""}\n${r.link}`);
    throw new Error(`the client is not conformant:\n${lines.join("\n")}`);
  }

  /** Ends the mock server, at once: an orderly end would wait for connections of clients, and it has nothing to lose. */
  async stop() {
    process.off("exit", this.#kill);
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, "exit");
      this.#kill();
      await ended;
    }
    await rm(this.#directory, { recursive: true, force: true });
  }
}
