/** The package's version: built in at the build, read from package.json when run from source. */
import { readFileSync } from "node:fs";

declare const CODEGRAPH_VERSION: string | undefined;

export const VERSION: string =
  typeof CODEGRAPH_VERSION === "string"
    ? CODEGRAPH_VERSION
    : (
        JSON.parse(
          readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
        ) as { version: string }
      ).version;
