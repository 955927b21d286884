/** A folder or file that a command names. */
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import { UserError } from "../store/place.ts";

/** With links resolved. Throws: UserError where nothing is there. */
export function existing(path: string): string {
  try {
    return realpathSync(resolve(path));
  } catch {
    throw new UserError(say(wordings.ROOT_MISSING, { root: path }));
  }
}
