import { defineConfig } from "vitest/config";

// Machines are busy at times; a test that waits in vain is ended all the same.
export default defineConfig({ test: { testTimeout: 120_000 } });
