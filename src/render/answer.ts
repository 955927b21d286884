/**
 * Writes the answer: which files, then their source, verbatim and numbered.
 *
 * Units: UTF-16 units of text; lines are 1-based and inclusive.
 */
import type { Span } from "../model/span.ts";
import { say } from "../model/wording.ts";
import { limits as fromSpec, wordings, type Limits } from "../spec.gen.ts";
import {
  contentsLine,
  rendered,
  type Form,
  type Rendered,
  type Source,
} from "./section.ts";

/** The sentence that says what the answer is. @spec answer-contents */
export function intro(shown: number, total: number): string {
  return say(wordings.ANSWER_INTRO, { shown, total });
}

export interface AnswerParts {
  /** Indexed files. */
  readonly total: number;
  readonly notes: readonly string[];
  /** The call path; empty for none. */
  readonly path: string;
  /** The best first. */
  readonly sections: readonly {
    readonly source: Source;
    readonly spans: readonly Span[];
    readonly form: Form;
  }[];
  readonly relations: readonly string[];
  /** UTF-16 units of the whole text. */
  readonly ceiling: number;
}

export interface Written {
  readonly text: string;
  /** The sections that are in it, the first ones. */
  readonly sections: readonly Rendered[];
}

/** What stands before the sections, without its contents; what `answer` writes is no longer. */
export function aroundSections({
  sections,
  total,
  notes,
  path,
}: Omit<AnswerParts, "sections" | "relations" | "ceiling"> & {
  readonly sections: number;
}): number {
  return [intro(sections, total), "", ...notes, path, ""].join("\n\n").length;
}

/**
 * The whole answer, within its ceiling: what would exceed it is left out, relations
 * first, then sections, the last first, and then notes.
 * @spec answer-contents answer-ceiling answer-dependents
 */
export function answer(
  parts: AnswerParts,
  limits: Pick<Limits, "MAX_SYMBOLS_IN_HEADING" | "MAX_LINE_CHARS"> = fromSpec,
): Written {
  const bodies = parts.sections.map((s) =>
    rendered(s.source, s.spans, s.form, limits),
  );
  let { notes, relations } = parts;
  for (let kept = bodies.length; ;) {
    const list = parts.sections
      .slice(0, kept)
      .map((s) => contentsLine(s.source, s.spans, s.form));
    const head = [
      ...(kept > 0 ? [intro(kept, parts.total)] : []),
      ...exception(bodies.slice(0, kept)),
      ...(kept > 0 ? [list.join("\n")] : []),
      ...notes,
      ...(parts.path === "" ? [] : [parts.path]),
    ].join("\n\n");
    const main = `${head}\n${
      kept > 0
        ? `\n${bodies
            .slice(0, kept)
            .map((b) => b.text)
            .join("\n")}`
        : ""
    }`;
    const text = main + relationsSection(relations);
    if (text.length <= parts.ceiling)
      return { text, sections: bodies.slice(0, kept) };
    if (relations.length > 0) relations = relations.slice(0, -1);
    else if (kept > 0) kept--;
    else if (notes.length > 1) notes = notes.slice(0, -1);
    else
      return {
        text: text.slice(0, parts.ceiling).toWellFormed(),
        sections: [],
      };
  }
}

/** The guarantee's exception, in an answer that holds a pointer. @spec dedup-says-the-exception */
function exception(sections: readonly Rendered[]): string[] {
  return sections.some(({ pointedAt }) => pointedAt.length > 0)
    ? [wordings.POINTERS_INTRO]
    : [];
}

/** What stands after the sections. */
export function relationsSection(relations: readonly string[]): string {
  return relations.length === 0
    ? ""
    : `\n${wordings.DEPENDENTS_TITLE}\n\n${relations.map((line) => `- ${line}\n`).join("")}`;
}
