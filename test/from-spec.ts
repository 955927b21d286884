/**
 * Ties the spec to the code: a rule's example table becomes vitest cases, a law
 * holds a rule for every input, and other tests cite the rule that they check.
 * The first argument is always a literal rule id: COVERAGE.md is read from it.
 */
import fc from "fast-check";
import { describe, expect, inject, test } from "vitest";
import { limits, type Limits, type RuleId } from "../src/spec.gen.ts";
import type { Example, Rule } from "../tools/spec/rule.ts";

type Row<K extends string> = Readonly<Record<K, string>>;
type Maybe<T> = T | Promise<T>;

const spec: ReadonlyMap<string, Rule> = new Map(
  inject("rules").map((rule) => [rule.id, rule]),
);

function ruleOf(id: RuleId): Rule {
  const rule = spec.get(id);
  if (!rule) throw new Error(`no rule ${id} in spec; run pnpm spec`);
  return rule;
}

/**
 * One vitest case per row of the rule's table, named by its place and reason. Then
 * each limit of the rule, and each of `also`, is moved by one, both ways, and some
 * row has to break: a threshold that no row stands on is not specified.
 *
 * `run` gets the input cells and the limits to use, and returns the output cells as
 * the product prints them. Where a moved limit makes it throw, the row is broken.
 */
export function examples<G extends string, T extends string>(
  id: RuleId,
  inputs: readonly G[],
  outputs: readonly T[],
  run: (row: Row<G>, limits: Limits) => Maybe<Row<T>>,
  also: readonly (keyof Limits)[] = [],
): void {
  const rule = ruleOf(id);
  if (rule.examples.length === 0)
    throw new Error(`${rule.page}:${rule.line}: ${id} has no example table`);
  const read = [...inputs, ...outputs, "because"].sort();
  describe(id, () => {
    test("its table has the columns that are read", () => {
      expect(Object.keys(rule.examples[0]!.cells).sort()).toEqual(read);
    });
    for (const { line, cells } of rule.examples)
      test(`${rule.page}:${line} ${cells.because}`, async () => {
        expect(await run(cells as Row<G>, limits)).toEqual(
          only(outputs, cells),
        );
      });
    for (const name of [...rule.limits.map((l) => l.name), ...also])
      for (const step of [-1, 1])
        test(`${name} ${step > 0 ? "+" : "−"}1 breaks a row`, async () => {
          const moved = move(limits, name, step);
          if (await allHold(rule.examples, outputs, (row) => run(row, moved)))
            expect.fail(
              `no row of ${rule.page}:${rule.line} stands on ${name}; add the row at the limit`,
            );
        });
  });
}

const only = <T extends string>(
  columns: readonly T[],
  cells: Readonly<Record<string, string>>,
): Row<T> => Object.fromEntries(columns.map((c) => [c, cells[c]])) as Row<T>;

/** Whether every row still gives its outputs; a row that throws does not. */
export async function allHold<G extends string, T extends string>(
  rows: readonly Example[],
  outputs: readonly T[],
  run: (row: Row<G>) => Maybe<Row<T>>,
): Promise<boolean> {
  for (const { cells } of rows)
    if (!(await gives(only(outputs, cells), () => run(cells as Row<G>))))
      return false;
  return true;
}

/** The limits with one of them moved, by one in its last written digit: 8 → 9, 0.3 → 0.4. */
export function move<L extends Readonly<Record<string, number>>>(
  all: L,
  name: string,
  step: number,
): L {
  const value = all[name];
  if (value === undefined) throw new Error(`no limit ${name}; run pnpm spec`);
  const digits = `${value}`.split(".")[1]?.length ?? 0;
  return {
    ...all,
    [name]: Number((value + step * 10 ** -digits).toFixed(digits)),
  };
}

async function gives<T>(wanted: T, run: () => Maybe<T>): Promise<boolean> {
  try {
    expect(await run()).toEqual(wanted);
    return true;
  } catch {
    return false;
  }
}

/**
 * For a limit that no table row can stand on: what `run` gives under the spec's
 * limits differs from what it gives when this limit is one lower or one higher.
 */
export function loadBearing(
  id: RuleId,
  name: keyof Limits,
  run: (limits: Limits) => unknown,
): void {
  ruleOf(id);
  let held: Promise<unknown> | undefined;
  /** What both moves are compared with: nothing that it depends on has moved. */
  const now = () => (held ??= Promise.resolve(run(limits)));
  for (const step of [-1, 1])
    test(`${id}: ${name} ${step > 0 ? "+" : "−"}1 changes the outcome`, async () => {
      const kept = await now();
      expect(await gives(kept, () => run(move(limits, name, step)))).toBe(
        false,
      );
    });
}

/** The same runs on every machine; a failure prints the counterexample and its path. */
const SEED = 20_011;
let propertyRuns = 0;
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  seed: SEED,
  beforeEach: () => {
    propertyRuns += 1;
  },
});

/**
 * What holds for every input. The body runs its properties with `fc.assert`, or
 * loops over all cases with `expect`. A body that tried nothing fails.
 */
export function law(id: RuleId, name: string, body: () => Maybe<void>): void;
export function law(id: RuleId, body: () => Maybe<void>): void;
export function law(
  id: RuleId,
  ...rest: [string, () => Maybe<void>] | [() => Maybe<void>]
): void {
  ruleOf(id);
  const body = rest.at(-1) as () => Maybe<void>;
  const name = rest.length === 2 ? `: ${rest[0]}` : "";
  test(`law ${id}${name}`, () => tried(body));
}

/** Throws: Error when the body ran no property and asserted nothing. */
export async function tried(body: () => Maybe<void>): Promise<void> {
  const attempts = (): number =>
    propertyRuns + expect.getState().assertionCalls;
  const before = attempts();
  await body();
  if (attempts() === before)
    throw new Error("the law tried nothing; assert a property in its body");
}

/** A plain vitest test that checks a rule. One without an assertion fails. */
export function ruleTest(
  id: RuleId,
  name: string,
  body: () => Maybe<void>,
  timeout?: number,
): void {
  ruleOf(id);
  test(`${id}: ${name}`, { ...(timeout && { timeout }) }, async () => {
    expect.hasAssertions();
    await body();
  });
}
