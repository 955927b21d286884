/** The binary that tests run is built once, before any of them. */
import { execFileSync } from "node:child_process";

export default function setup(): void {
  execFileSync(process.execPath, ["tools/build/build.ts", "--quiet"]);
}
