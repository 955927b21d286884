/** The sentence that stands for source which the context already holds. */
import { printSpans, type Span } from "../model/span.ts";
import { say } from "../model/wording.ts";
import { largest } from "../session/spans.ts";
import { limits as fromSpec, wordings, type Limits } from "../spec.gen.ts";

/** What a pointer says. */
export interface PointerFacts {
  /** As the answer prints it: one line, no backtick. */
  readonly path: string;
  /** Lines that are held and wanted, in line order. */
  readonly spans: readonly Span[];
  /** Definitions that begin in them. */
  readonly symbols: readonly string[];
  /** New source of the file follows. */
  readonly newFollows: boolean;
  /** The project's name, where the conversation is about several. */
  readonly project?: string | undefined;
}

/**
 * One line of Markdown, to stand before the file's new source or instead of it.
 * The largest spans are named, in line order, and the first symbols.
 * @spec dedup-pointer
 */
export function pointer(
  { path, spans, symbols, newFollows, project }: PointerFacts,
  limits: Pick<
    Limits,
    "MAX_SPANS_IN_POINTER" | "MAX_SYMBOLS_IN_POINTER"
  > = fromSpec,
): string {
  const named = largest(spans, limits.MAX_SPANS_IN_POINTER);
  const names = symbols.slice(0, limits.MAX_SYMBOLS_IN_POINTER);
  const more = (all: number, some: number) =>
    all > some ? [say(wordings.MORE, { count: all - some })] : [];
  const about = [...names, ...more(symbols.length, names.length)].join(", ");
  const sentence = say(wordings.POINTER, {
    path,
    project:
      project === undefined
        ? ""
        : ` ${say(wordings.POINTER_PROJECT, { project })}`,
    spans: [printSpans(named), ...more(spans.length, named.length)].join(", "),
    symbols:
      about === "" ? "" : ` ${say(wordings.POINTER_SYMBOLS, { names: about })}`,
  });
  return newFollows ? `${sentence} ${wordings.POINTER_NEW}` : sentence;
}
