/** The user's own folders: where they lie, and when they are not used. */
import {
  chmodSync,
  mkdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { userFolder, userFolderPath } from "../src/index/user-folder.ts";
import { examples, ruleTest } from "./from-spec.ts";
import { scratch } from "./scratch.ts";

examples(
  "folder-of-the-user",
  ["given system", "given home", "given variables"],
  ["then folder"],
  (row) => {
    const variables = row["given variables"];
    const env = Object.fromEntries(
      variables === "–"
        ? []
        : variables.split(" ").map((v) => v.split("=") as [string, string]),
    );
    return {
      "then folder": userFolderPath(
        env,
        row["given system"],
        row["given home"],
      ),
    };
  },
);

ruleTest("folder-of-the-user", "it is made for its user alone", () => {
  const path = userFolder("run", join(scratch(), "made"))!;
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(userFolder("run", join(path, ".."))).toBe(path);
});

ruleTest("folder-of-the-user", "one that others can enter is not used", () => {
  const base = scratch();
  mkdirSync(join(base, "run"));
  chmodSync(join(base, "run"), 0o755);
  expect(userFolder("run", base)).toBeUndefined();
});

ruleTest("folder-of-the-user", "a link, a file and no place are none", () => {
  const base = scratch();
  symlinkSync(scratch(), join(base, "run"));
  writeFileSync(join(base, "projects"), "");
  expect(userFolder("run", base)).toBeUndefined();
  expect(userFolder("projects", base)).toBeUndefined();
  expect(userFolder("run", join(base, "projects"))).toBeUndefined();
  expect(userFolder("run", "/proc/no/where")).toBeUndefined();
});
