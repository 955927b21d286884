/**
 * What one entry of the registry says about a language. An entry is data: the
 * extractor in `index/parse` knows no language by name.
 *
 * The captures that an entry's query may use (one match is one fact):
 *
 * | capture | stands for |
 * | --- | --- |
 * | `@def.KIND` with `@name` | a definition of that kind; `@body` marks where its signature ends, `@owner` a container that nesting does not show |
 * | `@ref.call` `@ref.new` `@ref.type` `@ref.extends` | the name that is used; `@qualifier` what stands before it |
 * | `@ref.component` | a call, unless the name begins in lower case |
 * | `@ref.import` | an imported name; `@module` where from, `@alias` the local name; `@module` alone imports the whole module |
 * | `@import.tree` | an import clause that `importTree` reads as text |
 * | `@is.WORD` | the match counts only where this node's text is WORD; `@is.A.B` allows either, and an empty word is a dot |
 * | `@wrap` `@export` | a node that belongs to the definition which ends with it; `@export` also makes it visible |
 * | `@exported` | a name that a statement elsewhere makes visible |
 * | `@attr` | an attribute, annotation or decorator |
 * | `@local` | a block whose variables are local |
 * | `@scope` with `@owner` | a block that gives its owner to the definitions in it |
 * | `@typeparam` | a type parameter: uses of it inside its definition are not references |
 * | `@subject` | for `@ref.extends` outside of the definition that extends: its name |
 * | `@docstring` | text that documents the definition whose body it begins |
 *
 * Where two patterns claim the same name node, the earlier pattern wins: put the
 * special before the general. A pattern also claims its `@is`, `@owner`, `@module`
 * and `@alias` nodes: a later pattern does not take them for uses.
 */
import type { ReferenceKind, SymbolKind } from "../model/extraction.ts";

export interface Comments {
  /** Marks that begin a comment to the end of the line, longest first. */
  readonly line: readonly string[];
  /** Opening and closing marks of comments that may span lines. */
  readonly block: readonly (readonly [open: string, close: string])[];
  /** Comment lines that are orders to a tool and document nothing. */
  readonly directive?: RegExp;
}

/** Comments between slashes and stars, those that document apart; for most of C's kin. */
export const SLASH_COMMENTS = {
  line: ["//"],
  block: [
    ["/**", "*/"],
    ["/*", "*/"],
  ],
} as const satisfies Comments;

/** A definition as an `exported` rule sees it. */
export interface Candidate {
  readonly name: string;
  readonly kind: SymbolKind;
  /** The words before the name, annotations left out: `export async function`. */
  readonly modifiers: string;
  /** An export statement names or wraps it. */
  readonly marked: boolean;
  /** Kind of the enclosing definition; undefined at top level. */
  readonly inside: SymbolKind | undefined;
  /** The enclosing definition is exported; true at top level. */
  readonly outer: boolean;
}

/** Where the receiver or target text of an assignment leads. */
export interface Owner {
  readonly name: string;
  /** Assigning to it makes the name visible outside the file. */
  readonly exports?: boolean;
}

/** How `importTree` splits a clause such as `a::{b, c as d}`. */
export interface ImportTree {
  readonly separator: string;
  /** Words or signs between a name and its local name. */
  readonly alias: readonly string[];
  /** Words that begin a clause and name nothing. */
  readonly keywords?: readonly string[];
  /** Whole imports end in this: `*` or `_`. */
  readonly wildcard: readonly string[];
  /** The last part names a thing in a module (Rust, Java), or the module itself (C#, Swift). */
  readonly last: "name" | "module";
}

/**
 * A language without a grammar, by patterns. They have the flags `g`, `m` and `d`
 * and see the text with comments and strings as blanks; the group `name` is the name.
 */
export interface Outline {
  /** Comments and strings. */
  readonly texts: RegExp;
  /** Attributes that stand before a declaration. */
  readonly attributes: RegExp;
  /** Blocks that give their owner to what they hold, such as extensions. */
  readonly scopes: readonly { readonly pattern: RegExp }[];
  /** Each from the start of its declaration to the end of its name; those with `bases` may name types behind a colon. */
  readonly definitions: readonly {
    readonly kind: SymbolKind;
    readonly pattern: RegExp;
    readonly bases?: boolean;
  }[];
  /** The first that claims a name wins. A group `qualifier` stands before the name. */
  readonly references: readonly {
    readonly kind: ReferenceKind;
    readonly pattern: RegExp;
  }[];
  /** What lies between a name and the types it extends. */
  readonly bases: RegExp;
  /** Names that are none. */
  readonly keywords: ReadonlySet<string>;
  /** The beginning of a line that carries a declaration on. */
  readonly continues: RegExp;
}

/** Tells the parts of a host file that hold code in a language of their own. */
export interface HostBlock {
  /** Matches the opening mark, from its first to its last character. */
  readonly open: RegExp;
  readonly close: RegExp;
  /** Only at the beginning of the file. */
  readonly atStart?: boolean;
  /** Language ids by the word that `lang` gives in the opening mark; `""` is the default. */
  readonly languages: Readonly<Record<string, string>>;
}

export interface Language {
  readonly id: string;
  /** The name for people. */
  readonly label: string;
  /** The word after a Markdown fence. */
  readonly fence: string;
  /** Lower case, with the dot. Matching ignores case. */
  readonly endings: readonly string[];
  /** Whole file names, lower case. */
  readonly names?: readonly string[];
  /** Programs that a `#!` line may name. */
  readonly interpreters?: readonly string[];
  /** The .wasm file, without folder; undefined for an outline or a host. */
  readonly grammar?: string;
  readonly query?: string;
  readonly comments: Comments;
  readonly exported: (candidate: Candidate) => boolean;
  /** Types that are not worth a reference. */
  readonly builtinTypes?: ReadonlySet<string>;
  /** Called names that are not worth a reference. */
  readonly builtinCalls?: ReadonlySet<string>;
  /** Variables named so are constants. */
  readonly constantName?: RegExp;
  /** Reads the text of an `@owner`; the text itself without it. */
  readonly owner?: (text: string) => Owner;
  readonly importTree?: ImportTree;
  /** Signs before a variable's name that are no part of it. */
  readonly sigils?: RegExp;
  /** The end of a module's name that is no part of what it is called. */
  readonly moduleSuffix?: RegExp;
  /** What separates the parts of a module's name. */
  readonly moduleSeparator?: RegExp;
  /** A declaration without a body is left out where the file holds the definition too. */
  readonly forwardDeclarations?: boolean;
  /** Texts that a grammar stumbles over: each replaced by `as` and blanks before parsing, so that lengths and lines stay. */
  readonly blank?: readonly { readonly pattern: RegExp; readonly as: string }[];
  /** For a language without a grammar: what patterns can tell. */
  readonly outline?: Outline;
  /** For a file that holds blocks of other languages. */
  readonly hosts?: {
    readonly blocks: readonly HostBlock[];
    /** Elements outside of the blocks that are calls; flags `g` and `d`, group `name`. */
    readonly calls: RegExp;
  };
  readonly tests?: {
    /** Paths of test files, with `/` between parts. */
    readonly paths: RegExp;
    /** Names of functions that are tests. */
    readonly functions?: RegExp;
  };
}

/** Words of a text as a set; for lists of built-in names. */
export const words = (text: string): ReadonlySet<string> =>
  new Set(text.split(/\s+/).filter(Boolean));
