import type { TestAPI } from "vitest";
import type { Mock, MockOptions } from "./mock.js";

/**
 * The test function of Vitest with fixtures: mock, a mock server of the test's own, which judges the client
 * when the test has ended, and mockOptions, with what it is started.
 */
export const test: TestAPI<{ mock: Mock; mockOptions: MockOptions }>;
