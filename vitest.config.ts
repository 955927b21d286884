import { basename } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes longest, as its size does not tell: at the end one core would wait for it. */
const FIRST = [
  "daemon",
  "faults",
  "cli",
  "sync",
  "mcp",
  "extraction-cache",
  "explore-pool",
  "package",
  "clients",
  "contexts",
  "fresh",
  "architecture",
].map((name) => `${name}.test.ts`);

class LongestFirst extends BaseSequencer {
  override async sort(
    files: TestSpecification[],
  ): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = FIRST.indexOf(basename(moduleId));
      return at < 0 ? FIRST.length : at;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

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
    sequence: { sequencer: LongestFirst },
    unstubEnvs: true,
    allowOnly: false,
    passWithNoTests: false,
    update: "none",
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
