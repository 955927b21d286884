import {
  C_BUILTIN_TYPES,
  C_COMMENTS,
  C_FAMILY_QUERY,
  C_MACROS,
  pointed,
} from "./c-family.ts";
import type { Language } from "./language.ts";

const FUNCTION: string = pointed(
  `(function_declarator declarator: (identifier) @name)`,
);

export const c: Language = {
  id: "c",
  label: "C",
  fence: "c",
  endings: [".c", ".h"],
  grammar: "tree-sitter-c.wasm",
  query: `
(function_definition declarator: ${FUNCTION} body: (_) @body) @def.function
(declaration declarator: ${FUNCTION}) @def.function
${C_FAMILY_QUERY}
(compound_literal_expression type: (type_descriptor type: [(type_identifier) @ref.new (struct_specifier name: (type_identifier) @ref.new)]))
(type_identifier) @ref.type
`,
  comments: C_COMMENTS,
  exported: (c) => c.outer && !/\bstatic\b/.test(c.modifiers),
  builtinTypes: C_BUILTIN_TYPES,
  forwardDeclarations: true,
  blank: C_MACROS,
  tests: {
    paths:
      /(?:^|\/)(?:tests?|testing|unittests?)\/|(?:^|\/)test_[^/]*\.[ch]$|[_-](?:test|tests|unittest)\.[ch]$/,
  },
};
