/** `pnpm spec`: rewrites what is generated from the spec. */
import { writeFileSync } from "node:fs";
import { generated } from "./generated.ts";

for (const { path, text } of await generated()) writeFileSync(path, text);
