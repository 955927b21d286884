import { SLASH_COMMENTS, words, type Language } from "./language.ts";

const TYPE_NAME = (capture: string): string =>
  `(user_type (identifier) ${capture} . (type_arguments)? .)`;

export const kotlin: Language = {
  id: "kotlin",
  label: "Kotlin",
  fence: "kotlin",
  endings: [".kt", ".kts"],
  interpreters: ["kotlin", "kotlinc"],
  grammar: "tree-sitter-kotlin.wasm",
  query: `
(class_declaration "interface" name: (identifier) @name (class_body)? @body) @def.interface
(class_declaration name: (identifier) @name (enum_class_body) @body) @def.enum
(class_declaration "class" name: (identifier) @name (class_body)? @body) @def.class
(object_declaration name: (identifier) @name (class_body)? @body) @def.class
(enum_entry (identifier) @name) @def.constant
(type_alias type: (identifier) @name) @def.type
(function_declaration (user_type (identifier) @owner . (type_arguments)? . (identifier) @name .) name: (MISSING) (function_body)? @body) @def.method
(function_declaration [(user_type (identifier) @owner . (type_arguments)? .) (nullable_type (user_type (identifier) @owner . (type_arguments)? .))] . "." name: (identifier) @name (function_body)? @body) @def.method
(function_declaration name: (identifier) @name (function_body)? @body) @def.function
(secondary_constructor "constructor" @name (block)? @body) @def.method
(class_parameter ["val" "var"] (identifier) @name) @def.field
(property_declaration (modifiers (property_modifier "const")) (variable_declaration . (identifier) @name)) @def.constant
(property_declaration (user_type (identifier) @owner . (type_arguments)? .) . "." (variable_declaration . (identifier) @name)) @def.variable
(property_declaration (variable_declaration . (identifier) @name)) @def.variable
(annotation) @attr
(anonymous_initializer) @local
(lambda_literal) @local

(import) @import.tree

(delegation_specifier [(constructor_invocation ${TYPE_NAME("@ref.extends")}) ${TYPE_NAME("@ref.extends")} (explicit_delegation ${TYPE_NAME("@ref.extends")})])
(call_expression . (identifier) @ref.call)
(call_expression . (navigation_expression (_) @qualifier (identifier) @ref.call .))
(infix_expression (_) (identifier) @ref.call (_))
(callable_reference (identifier) @ref.call .)
(type_parameter (identifier) @typeparam)
${TYPE_NAME("@ref.type")}
`,
  comments: SLASH_COMMENTS,
  exported: (c) => c.outer && !/\bprivate\b/.test(c.modifiers),
  builtinTypes: words(
    "Any Boolean Byte Char Double Float Int Long Nothing Short String Unit Array List Map Set MutableList MutableMap MutableSet Pair Throwable Suppress JvmStatic Deprecated",
  ),
  builtinCalls: words(
    "require check error listOf mapOf setOf mutableListOf mutableMapOf mutableSetOf emptyList emptyMap arrayOf println TODO",
  ),
  importTree: {
    separator: ".",
    alias: ["as"],
    wildcard: ["*"],
    keywords: ["import"],
    last: "name",
  },
  tests: {
    paths:
      /(?:^|\/)src\/(?:test|androidTest|[a-z]+Test)\/|(?:Test|Tests|Spec)\.kts?$/,
  },
};
