#!/usr/bin/env node
/**
 * The binary. This file alone is read by an old Node, so that it can say what it
 * needs: it uses nothing that Node 12 does not know.
 */
if (isUnfit(process.versions.node)) {
  process.stderr.write(
    `codegraph needs Node.js 22.16 or newer, but not 23; this is ${process.versions.node}.\n`,
  );
  process.exitCode = 1;
} else {
  // Node 22 calls its SQLite experimental at each start: nothing that a user can mend.
  const warn = process.emitWarning as (...args: unknown[]) => void;
  process.emitWarning = (warning: unknown, ...rest: unknown[]): void => {
    if (!String(warning).startsWith("SQLite is an experimental"))
      warn.call(process, warning, ...rest);
  };
  const [first, ...rest] = process.argv.slice(2);
  // A host waits for its hooks at every call: they load nothing of the commands.
  const run =
    first === "hooks"
      ? import("./hooks.ts").then(({ hooks }) => hooks(rest))
      : import("./main.ts").then(({ main }) => main(process.argv.slice(2)));
  run.then(
    () => {},
    (error: unknown) => {
      process.stderr.write(`codegraph: ${String(error)}\n`);
      process.exitCode = 1;
    },
  );
}

/** Not what package.json demands: 23 ended before its SQLite could give rows as arrays. */
function isUnfit(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < 22 || major === 23 || (major === 22 && minor < 16); // exempt spec-values-are-imported: an old Node reads this file alone
}
export {};
