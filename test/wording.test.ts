import { say } from "../src/model/wording.ts";
import { examples } from "./from-spec.ts";

/** The table's wordings are no literal types: the compiler's part is below. */
const fill = say as unknown as (
  wording: string,
  values?: Readonly<Record<string, string>>,
) => string;

examples(
  "wording-is-filled",
  ["given wording", "given values"],
  ["then said"],
  (row) => {
    const pairs = row["given values"].split(" ").map((v) => v.split("="));
    return {
      "then said":
        row["given values"] === "–"
          ? fill(row["given wording"])
          : fill(row["given wording"], Object.fromEntries(pairs)),
    };
  },
);

// What a wrong call looks like is for the compiler: these lines are in no test,
// and tsc fails where one of them compiles.
export const refused = [
  // @ts-expect-error a missing value
  () => say("{count} of {total}", { count: 1 }),
  // @ts-expect-error a misspelt value
  () => say("{count} more", { cuont: 1 }),
  // @ts-expect-error values without a placeholder
  () => say("nothing", { count: 1 }),
];
