import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/fixtures/**", "node_modules/**"],
    allowOnly: false,
    passWithNoTests: false,
    update: "none",
  },
});
