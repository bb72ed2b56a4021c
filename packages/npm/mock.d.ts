import type { Admin, Entry, Query, Report, Verify } from "./admin.js";

export interface MockOptions {
  /** The name of a ready world, the path of a world file, or a world as an object. */
  world?: string | object;
  /** More flags of mockserver, such as ["--page-size", "2"]. */
  args?: string[];
  /** Environment variables beside those of this process. */
  env?: Record<string, string>;
  /** The path of the program; without it the one that is installed. */
  program?: string;
}

/** A mock server that runs. */
export interface Mock {
  /** The address for Streamable HTTP. */
  readonly url: string;
  /** The address for HTTP+SSE. */
  readonly sse: string;
  /** How a client starts a server of its own on stdio, in the same world with the same flags; its messages are in no journal of this one. */
  readonly stdio: { command: string; args: string[] };
  /** Steers the mock. */
  readonly admin: Admin;
  /**
   * Waits until clients have sent so many requests or notifications with a method over HTTP, one without a
   * count, and returns their journal entries. Fails when they do not come in time: a timeout is a number
   * with a unit, such as "500ms" or "30s", and 5s if none is given.
   */
  received(method: string, count?: number, options?: Omit<Query, "method" | "kind" | "kinds"> & { timeout?: string }): Promise<Entry[]>;
  /** Judges the clients by what they have sent so far over HTTP; fails if one has broken a requirement. */
  verify(how?: Verify): Promise<Report>;
  /** Ends the mock server. */
  stop(): Promise<void>;
}

/** Starts a mock server on a free port of this machine, and waits until it listens. */
export function startMock(options?: MockOptions): Promise<Mock>;
