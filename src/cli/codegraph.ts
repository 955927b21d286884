#!/usr/bin/env node
/**
 * The binary. This file alone is read by an old Node, so that it can say what it
 * needs: it uses nothing that Node 12 does not know.
 */
if (isTooOld(process.versions.node)) {
  process.stderr.write(
    `codegraph needs Node.js 22.16 or newer; this is ${process.versions.node}.\n`,
  );
  process.exitCode = 1;
} else {
  import("./main.ts").then(
    ({ main }) => main(process.argv.slice(2)),
    (error: unknown) => {
      process.stderr.write(`codegraph: ${String(error)}\n`);
      process.exitCode = 1;
    },
  );
}

/** Below what package.json demands. */
function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < 22 || (major === 22 && minor < 16); // exempt spec-values-are-imported: an old Node reads this file alone
}
export {};
