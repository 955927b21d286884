/**
 * Swift has no grammar that is kept as .wasm and parses today's Swift: the ones to
 * be had stumble over a quarter of real files and take ten times as long as others.
 * So this entry is an outline: declarations by pattern, extents by braces, calls and
 * types by how names are written. It does not see what a macro or `#if` hides.
 */
import { SLASH_COMMENTS, words, type Language } from "./language.ts";

const MODIFIERS: string = String.raw`(?:(?:(?:public|open|internal|private|fileprivate|package)(?:\(set\))?|final|static|class|override|mutating|nonmutating|convenience|required|lazy|weak|unowned(?:\(\w+\))?|indirect|dynamic|optional|isolated|nonisolated(?:\(\w+\))?|consuming|borrowing|prefix|postfix|infix|distributed|async)[ \t]+)*`;
const ATTRIBUTES: string = String.raw`(?:@\w+(?:\((?:[^()\n]|\([^()\n]*\))*\))?[ \t]+)*`;

/** A declaration at the start of its line, or behind a brace or semicolon on it. */
const declared = (rest: string): RegExp =>
  new RegExp(
    String.raw`(?<=^[ \t]*|[{;][ \t]*)${ATTRIBUTES}${MODIFIERS}${rest}`,
    "gmd",
  );

/** Strings may hold expressions in \( ), and those again strings. */
const TEXTS =
  /\/\/[^\n]*|\/\*(?:[^*/]|\*(?!\/)|\/(?!\*)|\/\*(?:[^*]|\*(?!\/))*\*\/)*\*\/|(#+)"""[^]*?"""\1|(#+)"[^\n]*?"\2|"""[^]*?"""|"(?:\\\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*\)|\\.|[^"\\\n])*"/g;

export const swift: Language = {
  id: "swift",
  label: "Swift",
  fence: "swift",
  endings: [".swift"],
  interpreters: ["swift"],
  outline: {
    texts: TEXTS,
    attributes: /(?<=^[ \t]*)@\w+(?:\((?:[^()]|\([^()]*\))*\))?(?=[ \t]*$)/gm,
    scopes: [
      { pattern: declared(String.raw`extension[ \t]+(?:\w+\.)*(?<name>\w+)`) },
    ],
    definitions: [
      {
        kind: "class",
        bases: true,
        pattern: declared(
          String.raw`(?:class|actor)[ \t]+(?!(?:func|var|let|subscript)\b)(?<name>\w+)`,
        ),
      },
      {
        kind: "struct",
        bases: true,
        pattern: declared(String.raw`struct[ \t]+(?<name>\w+)`),
      },
      {
        kind: "enum",
        bases: true,
        pattern: declared(String.raw`enum[ \t]+(?<name>\w+)`),
      },
      {
        kind: "trait",
        bases: true,
        pattern: declared(String.raw`protocol[ \t]+(?<name>\w+)`),
      },
      {
        kind: "function",
        pattern: declared(
          String.raw`func[ \t]+(?<name>[\w$]+|[-+*/=<>!&|^~%?.]+)`,
        ),
      },
      {
        kind: "function",
        pattern: declared(String.raw`func[ \t]+${"`"}(?<name>\w+)${"`"}`),
      },
      {
        kind: "method",
        pattern: declared(
          String.raw`(?<name>init|subscript)(?=[?!]?[ \t]*[(<])`,
        ),
      },
      {
        kind: "method",
        pattern: declared(String.raw`(?<name>deinit)(?=[ \t]*\{)`),
      },
      {
        kind: "type",
        pattern: declared(
          String.raw`(?:typealias|associatedtype)[ \t]+(?<name>\w+)`,
        ),
      },
      { kind: "macro", pattern: declared(String.raw`macro[ \t]+(?<name>\w+)`) },
      {
        kind: "constant",
        pattern: declared(
          String.raw`case[ \t]+${"`"}?(?<name>[a-z_]\w*)(?=${"`"}?[ \t]*(?:[(=,]|$))`,
        ),
      },
      {
        kind: "variable",
        pattern: declared(String.raw`(?:var|let)[ \t]+(?<name>\w+)`),
      },
    ],
    references: [
      {
        kind: "import",
        pattern: declared(
          String.raw`import[ \t]+(?:(?:struct|class|enum|protocol|func|var|let|typealias)[ \t]+)?(?<name>[\w.]+)`,
        ),
      },
      {
        kind: "instantiate",
        pattern: /(?<![\w.])(?<name>[A-Z]\w*)(?=(?:<[\w.,:<> ?[\]]*>)?\()/dgm,
      },
      {
        kind: "call",
        pattern:
          /(?<=(?<![\w.)\]?!])(?<qualifier>\w+)[?!]?\.)(?<name>[a-z_]\w*)(?=\(|[ \t]*\{)/dgm,
      },
      { kind: "call", pattern: /(?<=\.)(?<name>[a-z_]\w*)(?=\(|[ \t]*\{)/dgm },
      {
        kind: "call",
        pattern: /(?<![\w.#@`])(?<!\bfunc[ \t]+)(?<name>[a-z_]\w*)(?=\()/dgm,
      },
      { kind: "type", pattern: /(?<![\w])(?<name>[A-Z]\w*[a-z]\w*)\b/dgm },
    ],
    bases: /^(?:\s*<[^{]*?>)?\s*:\s*/,
    keywords: words(
      "if guard while for switch return catch in is as try await throw throws rethrows where case default do else repeat defer func init deinit subscript var let class struct enum protocol extension import typealias inout some any self super nil true false get set willSet didSet async unowned weak open public internal private fileprivate",
    ),
    continues:
      /^(?:\{|where\b|->|throws\b|rethrows\b|async\b|[:=,&|+*/?.](?!=)|-(?![0-9]))/,
  },
  comments: {
    line: ["///", "//"],
    block: SLASH_COMMENTS.block,
    directive: /^\/\/\s*(?:swiftlint|swiftformat|MARK:|swift-tools)/,
  },
  exported: (c) =>
    c.outer && !/\b(?:private|fileprivate)\b(?!\(set\))/.test(c.modifiers),
  builtinTypes: words(
    "Any AnyObject Array Bool Character Dictionary Double Error Float Int Int8 Int16 Int32 Int64 Never Optional Self Set String Substring UInt UInt8 UInt16 UInt32 UInt64 Void Equatable Hashable Sendable CustomStringConvertible",
  ),
  builtinCalls: words(
    "precondition preconditionFailure fatalError assert assertionFailure print min max type available",
  ),
  tests: { paths: /(?:^|\/)Tests\/|Tests?\.swift$/, functions: /^test/ },
};
