/**
 * What has to hold between the spec, the code and the checks. Every function gives
 * complaints, `page:line: what is wrong; what to do`; none is good.
 */
import { matchesGlob } from "node:path";
import {
  parse,
  type Check,
  type Citations,
  type Parse,
  type Sources,
} from "./cite.ts";
import { exemptions } from "./exempt.ts";
import type { Rule } from "./rule.ts";

export interface Project {
  readonly rules: readonly Rule[];
  readonly cited: Citations;
  readonly sources: Sources;
  readonly syntax?: Parse;
}
type Complaints = (project: Project) => string[];

const place = ({ page, line, id }: Rule): string => `${page}:${line}: ${id}`;
const held = (rules: readonly Rule[]): readonly Rule[] =>
  rules.filter((rule) => rule.deferred === undefined);
const checksOf = (rule: Rule, { checks }: Citations): readonly Check[] =>
  checks.filter((check) => check.rule === rule.id);

/** The code of a rule that an invariant holds is what the invariant scans. */
const withoutCode: Complaints = ({ rules, cited }) =>
  held(rules)
    .filter(
      (rule) =>
        !cited.code.has(rule.id) &&
        !checksOf(rule, cited).some((check) => check.over !== ""),
    )
    .map(
      (r) =>
        `${place(r)} has no code; tag a function with @spec ${r.id}, or defer the rule with a reason`,
    );

const withoutCheck: Complaints = ({ rules, cited }) =>
  held(rules)
    .filter((rule) => checksOf(rule, cited).length === 0)
    .map(
      (r) =>
        `${place(r)} has no check; add examples, a law, a ruleTest or an invariant, or defer it with a reason`,
    );

const staleDeferrals: Complaints = ({ rules, cited }) =>
  rules
    .filter((rule) => rule.deferred !== undefined)
    .flatMap((rule) =>
      [
        ...(cited.code.get(rule.id) ?? []),
        ...checksOf(rule, cited).map((c) => `${c.path}:${c.line}`),
      ].map((by) => `${place(rule)} is deferred, yet ${by} cites it; drop one`),
    );

const unknownRules: Complaints = ({ rules, cited }) => {
  const ids = new Set(rules.map((rule) => rule.id));
  return [
    ...[...cited.code].flatMap(([id, places]) =>
      places.map((at) => ({ id, at })),
    ),
    ...cited.checks.map(({ rule, path, line }) => ({
      id: rule,
      at: `${path}:${line}`,
    })),
  ]
    .filter(({ id }) => !ids.has(id))
    .map(({ id, at }) => `${at}: "${id}" is no rule; correct the citation`);
};

const unreadTables: Complaints = ({ rules, cited }) =>
  held(rules)
    .filter((rule) => rule.examples.length > 0)
    .filter((r) => !checksOf(r, cited).some((c) => c.kind === "examples"))
    .map((r) => `${place(r)} has a table that no test reads; call examples()`);

/** A limit is moved by the examples of its rule, or by a check that names it. */
const unprovenLimits: Complaints = ({ rules, cited }) => {
  const moved = new Set(cited.checks.flatMap((check) => check.moves));
  return held(rules)
    .filter((r) => !checksOf(r, cited).some((c) => c.kind === "examples"))
    .flatMap((rule) =>
      rule.limits
        .filter(({ name }) => !moved.has(name))
        .map(
          ({ name }) =>
            `${place(rule)}: no check stands on ${name}; give the rule examples, name it in another rule's, or call loadBearing()`,
        ),
    );
};

const unusedNames: Complaints = ({ rules, sources }) => {
  const product = [...sources].filter(([path]) => !path.startsWith("test/"));
  const used = (name: string, texts: Iterable<readonly [string, string]>) =>
    [...texts].some(([, text]) => new RegExp(`\\b${name}\\b`).test(text));
  return held(rules).flatMap((rule) => [
    ...[...rule.limits, ...rule.wordings]
      .filter(({ name }) => !used(name, product))
      .map(
        ({ name }) => `${place(rule)}: no code reads ${name}; use or drop it`,
      ),
    ...rule.lists
      .filter(({ name }) => !used(name, sources))
      .map(
        ({ name }) => `${place(rule)}: nothing reads ${name}; use or drop it`,
      ),
    // Entries are looked through; what is read of them is their columns.
    ...[...new Set(rule.entries.flatMap((row) => Object.keys(row.columns)))]
      .filter((column) => !used(column, product))
      .map(
        (column) =>
          `${place(rule)}: no code reads the column ${column}; use it or write prose in it`,
      ),
  ]);
};

/** A rule's exemptions are one invariant's, which is how one that excuses nothing is known. */
const doubleInvariants: Complaints = ({ cited }) =>
  cited.checks
    .filter((check) => check.over !== "")
    .filter((check, i, all) => all.findIndex((c) => c.rule === check.rule) < i)
    .map(
      ({ path, line, rule }) =>
        `${path}:${line}: a second invariant of ${rule}; split the rule`,
    );

/** Exemptions that no invariant looks at. Those it looks at, it judges itself. */
const strayExemptions: Complaints = ({ cited, sources, syntax = parse }) => {
  const scans = cited.checks.filter((check) => check.kind === "invariant");
  return [...sources]
    .filter(([, text]) => text.includes("// exempt"))
    .flatMap(([path, text]) =>
      exemptions(syntax(path, text))
        .filter(
          ({ rule }) =>
            !scans.some((s) => s.rule === rule && matchesGlob(path, s.over)),
        )
        .map(
          ({ line, rule }) =>
            `${path}:${line}: ${rule ? `no invariant of ${rule} scans this file` : "no exemption"}; write // exempt RULE-ID: reason`,
        ),
    );
};

/** Each named as the test that demands its silence. */
export const checks: Readonly<Record<string, Complaints>> = {
  "every rule has code": withoutCode,
  "every rule has a check": withoutCheck,
  "a deferred rule has neither code nor check": staleDeferrals,
  "every citation names a rule": unknownRules,
  "every tag and every check counts": ({ cited }) => [...cited.stray],
  "every example table has a reader": unreadTables,
  "some check stands on every limit": unprovenLimits,
  "every limit, wording, list and entry is read": unusedNames,
  "a rule has at most one invariant": doubleInvariants,
  "every exemption is one of an invariant": strayExemptions,
};
