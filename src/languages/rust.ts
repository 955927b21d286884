import { SLASH_COMMENTS, words, type Language } from "./language.ts";

const TYPE_NAME = (capture: string): string => `[
  (type_identifier) ${capture}
  (generic_type type: (type_identifier) ${capture})
  (scoped_type_identifier name: (type_identifier) ${capture})
  (generic_type type: (scoped_type_identifier name: (type_identifier) ${capture}))
]`;

export const rust: Language = {
  id: "rust",
  label: "Rust",
  fence: "rust",
  endings: [".rs"],
  interpreters: ["rust-script"],
  grammar: "tree-sitter-rust.wasm",
  query: `
(function_item name: (identifier) @name body: (_) @body) @def.function
(function_signature_item name: (identifier) @name) @def.function
(struct_item name: (type_identifier) @name body: (field_declaration_list) @body) @def.struct
(struct_item name: (type_identifier) @name) @def.struct
(union_item name: (type_identifier) @name body: (_) @body) @def.struct
(enum_item name: (type_identifier) @name body: (_) @body) @def.enum
(enum_variant name: (identifier) @name) @def.constant
(trait_item name: (type_identifier) @name body: (_) @body) @def.trait
(type_item name: (type_identifier) @name) @def.type
(associated_type name: (type_identifier) @name) @def.type
(const_item name: (identifier) @name) @def.constant
(static_item name: (identifier) @name) @def.variable
(field_declaration name: (field_identifier) @name) @def.field
(mod_item name: (identifier) @name body: (_) @body) @def.module
(macro_definition name: (identifier) @name "{"? @body) @def.macro
(attribute_item) @attr
(impl_item type: ${TYPE_NAME("@owner")} body: (_)) @scope

(use_declaration argument: (_) @import.tree)
(extern_crate_declaration name: (identifier) @module alias: (identifier)? @alias)
(mod_item name: (identifier) @module !body)

(impl_item trait: ${TYPE_NAME("@ref.extends")} type: ${TYPE_NAME("@subject")})
(trait_item bounds: (trait_bounds ${TYPE_NAME("@ref.extends")}))
(struct_expression name: (type_identifier) @ref.new)
(struct_expression name: (scoped_type_identifier path: (_) @qualifier name: (type_identifier) @ref.new))
(struct_expression name: (generic_type_with_turbofish type: (type_identifier) @ref.new))
(call_expression function: (identifier) @ref.call)
(call_expression function: (field_expression value: (_) @qualifier field: (field_identifier) @ref.call))
(call_expression function: (scoped_identifier path: (_) @qualifier name: (identifier) @ref.call))
(call_expression function: (generic_function function: (identifier) @ref.call))
(call_expression function: (generic_function function: (field_expression value: (_) @qualifier field: (field_identifier) @ref.call)))
(call_expression function: (generic_function function: (scoped_identifier path: (_) @qualifier name: (identifier) @ref.call)))
(macro_invocation macro: (identifier) @ref.call)
(macro_invocation macro: (scoped_identifier path: (_) @qualifier name: (identifier) @ref.call))
(token_tree (identifier) @ref.call . (token_tree . "("))
(type_parameter name: (type_identifier) @typeparam)
(scoped_type_identifier path: (_) @qualifier name: (type_identifier) @ref.type)
(type_identifier) @ref.type
`,
  comments: {
    line: ["///", "//!", "//"],
    block: SLASH_COMMENTS.block,
  },
  exported: (c) =>
    c.inside === "trait" || c.inside === "enum"
      ? c.outer
      : c.kind === "macro" || /(?:^|\s)pub\b/.test(c.modifiers),
  builtinTypes: words(
    "Self Option Result Vec String Box bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64",
  ),
  builtinCalls: words(
    "Some Ok Err Box vec println print eprintln eprint format panic assert assert_eq assert_ne debug_assert debug_assert_eq write writeln unreachable todo unimplemented matches",
  ),
  importTree: { separator: "::", alias: ["as"], wildcard: ["*"], last: "name" },
  moduleSeparator: /::/,
  owner: (text) => ({
    name: text
      .replace(/<[^]*$/, "")
      .split("::")
      .at(-1)!
      .trim(),
  }),
  tests: {
    paths: /(?:^|\/)(?:tests?|benches)\/|(?:^|\/)tests?\.rs$|_test\.rs$/,
  },
};
