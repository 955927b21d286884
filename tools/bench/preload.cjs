/**
 * Loaded by `NODE_OPTIONS=--require` into every Node process of a measured command:
 * at its end it adds a line with its peak memory to the file that the bench names.
 * CommonJS without types, because the command may run on an older Node.
 */
"use strict";
const { isMainThread } = require("node:worker_threads");
const { appendFileSync } = require("node:fs");

const file = process.env.CODEGRAPH_BENCH_USAGE;
if (isMainThread && file)
  process.on("exit", () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    appendFileSync(file, `${maxRSS} ${userCPUTime + systemCPUTime}\n`);
  });
