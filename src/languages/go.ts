import { words, type Language } from "./language.ts";

const OWNER = `[
  (type_identifier) @owner
  (pointer_type (type_identifier) @owner)
  (generic_type type: (type_identifier) @owner)
  (pointer_type (generic_type type: (type_identifier) @owner))
]`;

export const go: Language = {
  id: "go",
  label: "Go",
  fence: "go",
  endings: [".go"],
  grammar: "tree-sitter-go.wasm",
  query: `
(function_declaration name: (identifier) @name body: (_)? @body) @def.function
(method_declaration receiver: (parameter_list (parameter_declaration type: ${OWNER})) name: (field_identifier) @name body: (_)? @body) @def.method
(type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body)) @def.struct
(type_spec name: (type_identifier) @name type: (interface_type "{" @body)) @def.interface
(type_spec name: (type_identifier) @name) @def.type
(type_alias name: (type_identifier) @name) @def.type
(const_spec name: (identifier) @name) @def.constant
(var_spec name: (identifier) @name) @def.variable
(field_declaration name: (field_identifier) @name) @def.field
(method_elem name: (field_identifier) @name) @def.method
(func_literal) @local

(import_spec name: [(package_identifier) (blank_identifier) (dot)]? @alias path: (_) @module)

(field_declaration !name type: [
  (type_identifier) @ref.extends
  (pointer_type (type_identifier) @ref.extends)
  (generic_type type: (type_identifier) @ref.extends)
  (qualified_type package: (_) @qualifier name: (type_identifier) @ref.extends)
  (pointer_type (qualified_type package: (_) @qualifier name: (type_identifier) @ref.extends))
])
(interface_type (type_elem . [
  (type_identifier) @ref.extends
  (qualified_type package: (_) @qualifier name: (type_identifier) @ref.extends)
] .))
(composite_literal type: [
  (type_identifier) @ref.new
  (qualified_type package: (_) @qualifier name: (type_identifier) @ref.new)
  (generic_type type: (type_identifier) @ref.new)
])
(call_expression function: (identifier) @ref.call)
(call_expression function: (selector_expression operand: (_) @qualifier field: (field_identifier) @ref.call))
(type_conversion_expression type: (generic_type type: (type_identifier) @ref.call))
(method_declaration receiver: (parameter_list (parameter_declaration type: [
  (generic_type type_arguments: (type_arguments (type_elem (type_identifier) @typeparam)))
  (pointer_type (generic_type type_arguments: (type_arguments (type_elem (type_identifier) @typeparam))))
])))
(type_parameter_declaration name: (identifier) @typeparam)
(qualified_type package: (_) @qualifier name: (type_identifier) @ref.type)
(type_identifier) @ref.type
`,
  comments: {
    line: ["//"],
    block: [["/*", "*/"]],
    directive: /^\/\/(?:go:|nolint|line |\+build|export )/,
  },
  exported: (c) =>
    /^\p{Lu}/u.test(c.name) && (c.inside === undefined || c.outer),
  builtinTypes: words(
    "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr",
  ),
  builtinCalls: words("append cap copy delete len make new panic recover"),
  moduleSuffix: /\/v\d+$/,
  tests: {
    paths: /_test\.go$|(?:^|\/)(?:testdata|test|tests|testing)\//,
    functions: /^(?:Test|Benchmark|Fuzz|Example)(?!\p{Ll})/u,
  },
};
