import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";

/** The path of a program, "mcpcheck" or "mockserver", for this machine. */
export function program(name) {
  const platform = `${process.platform}-${process.arch}`;
  const file = process.platform === "win32" ? `${name}.exe` : name;
  try {
    return createRequire(import.meta.url).resolve(`@mcpcheck/${platform}/bin/${file}`);
  } catch {
    throw new Error(
      `mcpcheck: the package @mcpcheck/${platform} with the program ${name} is not installed; ` +
        "install mcpcheck without --omit=optional, on one of linux, darwin and win32 with x64 or arm64",
    );
  }
}

/** Runs a program in place of this one: with its arguments, input, output and exit status. */
export function run(name) {
  let path;
  try {
    path = program(name);
  } catch (e) {
    console.error(e.message);
    process.exit(1);
  }
  const args = process.argv.slice(2);
  if (process.execve && process.platform !== "win32") process.execve(path, [path, ...args]);
  const child = spawn(path, args, { stdio: "inherit" });
  // A terminal sends an interrupt to both. The program takes a second one for haste.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (e) => {
    console.error(`mcpcheck: ${path} cannot be run: ${e.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
