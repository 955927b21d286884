#!/usr/bin/env node
/**
 * The binary. This file alone is read by an old Node, so that it can say what it
 * needs: it uses nothing that Node 12 does not know.
 */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 16)) {
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
export {};
