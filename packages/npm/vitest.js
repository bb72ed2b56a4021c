import { test as base } from "vitest";
import { startMock } from "./mock.js";

/** The test function of Vitest with a mock server of its own for each test that asks for one. */
export const test = base.extend({
  mockOptions: {},
  mock: async ({ mockOptions }, use) => {
    const mock = await startMock(mockOptions);
    try {
      await use(mock);
      await mock.verify();
    } finally {
      await mock.stop();
    }
  },
});
