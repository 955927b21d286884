/** What a spec page says, as data. Lines are 1-based. */

interface Declared {
  readonly name: string;
  readonly why: string;
}
export interface Limit extends Declared {
  readonly value: number;
  readonly unit: string;
}
export interface Wording extends Declared {
  readonly text: string;
}
export interface List extends Declared {
  readonly items: readonly string[];
}
/** A row of a table of entries: its columns of code spans, by name. */
export interface Entry extends Declared {
  readonly columns: Readonly<Record<string, readonly string[]>>;
}
/** One row of a given/when/then table, its cells by column. */
export interface Example {
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
}
export interface Rule {
  readonly id: string;
  /** `spec/NAME.md`. */
  readonly page: string;
  readonly line: number;
  /** The prose, white space folded, a line per block; no tables, no deferral. */
  text: string;
  /** Six hex digits over `text`: they change when a word of the rule changes. */
  hash: string;
  /** Why no check holds the rule yet; undefined where one has to. */
  deferred: string | undefined;
  readonly limits: Limit[];
  readonly wordings: Wording[];
  readonly lists: List[];
  readonly entries: Entry[];
  readonly examples: Example[];
}
