import { SLASH_COMMENTS, words, type Language } from "./language.ts";

const TYPE_NAME = (capture: string): string => `[
  (type_identifier) ${capture}
  (generic_type type: (type_identifier) ${capture})
  (stable_type_identifier (_) @qualifier (type_identifier) ${capture} .)
  (generic_type type: (stable_type_identifier (_) @qualifier (type_identifier) ${capture} .))
]`;

const NAME = `[(identifier) (operator_identifier)] @name`;

export const scala: Language = {
  id: "scala",
  label: "Scala",
  fence: "scala",
  endings: [".scala", ".sc", ".sbt"],
  interpreters: ["scala", "scala-cli", "amm"],
  grammar: "tree-sitter-scala.wasm",
  query: `
(class_definition name: ${NAME} body: (_)? @body) @def.class
(object_definition name: ${NAME} body: (_)? @body) @def.class
(package_object name: (identifier) @name body: (_) @body) @def.module
(trait_definition name: ${NAME} body: (_)? @body) @def.trait
(enum_definition name: ${NAME} body: (_) @body) @def.enum
(simple_enum_case name: (identifier) @name) @def.constant
(full_enum_case name: (identifier) @name) @def.constant
(function_definition name: ${NAME} body: (_) @body) @def.function
(function_declaration name: ${NAME}) @def.function
(given_definition name: (identifier) @name body: (with_template_body) @body) @def.class
(given_definition name: (identifier) @name) @def.variable
(type_definition name: (type_identifier) @name) @def.type
(class_parameter name: (identifier) @name) @def.field
(val_definition pattern: [(identifier) @name (identifiers (identifier) @name)]) @def.variable
(var_definition pattern: [(identifier) @name (identifiers (identifier) @name)]) @def.variable
(val_declaration name: (identifier) @name) @def.variable
(var_declaration name: (identifier) @name) @def.variable
(extension_definition parameters: (parameters (parameter type: ${TYPE_NAME("@owner")}))) @scope
(annotation) @attr
(block) @local
(indented_block) @local

(import_declaration) @import.tree
(export_declaration) @import.tree

(extends_clause ${TYPE_NAME("@ref.extends")})
(instance_expression . ${TYPE_NAME("@ref.new")})
(call_expression function: (identifier) @ref.call)
(call_expression function: (field_expression value: (_) @qualifier field: (identifier) @ref.call))
(call_expression function: (generic_function function: (identifier) @ref.call))
(call_expression function: (generic_function function: (field_expression value: (_) @qualifier field: (identifier) @ref.call)))
(infix_expression operator: (identifier) @ref.call)
(type_parameters name: (identifier) @typeparam)
(type_parameters [(covariant_type_parameter name: (identifier) @typeparam) (contravariant_type_parameter name: (identifier) @typeparam)])
(stable_type_identifier (_) @qualifier (type_identifier) @ref.type .)
(type_identifier) @ref.type
`,
  comments: SLASH_COMMENTS,
  exported: (c) => c.outer && !/\bprivate\b/.test(c.modifiers),
  builtinTypes: words(
    "Any AnyRef AnyVal Boolean Byte Char Double Float Int Long Nothing Null Short String Unit Array List Map Option Seq Set Vector Either Iterable",
  ),
  builtinCalls: words(
    "Some List Seq Map Set Array Option Vector Left Right println require assert",
  ),
  importTree: {
    separator: ".",
    alias: ["as", "=>"],
    wildcard: ["_", "*", "given"],
    keywords: ["import", "export"],
    last: "name",
  },
  owner: (text) => ({
    name: text
      .replace(/\[[^]*$/, "")
      .split(".")
      .at(-1)!
      .trim(),
  }),
  tests: {
    paths:
      /(?:^|\/)src\/(?:test|it|multi-jvm)\/|(?:Test|Tests|Spec|Suite)\.scala$/,
  },
};
