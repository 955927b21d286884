import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/global-setup.ts"],
    exclude: ["test/fixtures/**", "node_modules/**"],
    // Test files share the modules they import: nothing in src has a state
    // (no-module-state), and no test leaves one (tests-leave-no-trace).
    isolate: false,
    // By default one core of two is left idle; many tests wait for processes.
    maxWorkers: 3,
    // Processes that tests start keep nothing for the user who runs them.
    env: { CODEGRAPH_EXTRACTION_CACHE: "0" },
    unstubEnvs: true,
    allowOnly: false,
    passWithNoTests: false,
    update: "none",
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
