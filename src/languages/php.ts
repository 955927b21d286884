import { SLASH_COMMENTS, words, type Language } from "./language.ts";

const TYPE_NAME = (capture: string): string => `[
  (name) ${capture}
  (qualified_name (name) ${capture} .)
]`;

export const php: Language = {
  id: "php",
  label: "PHP",
  fence: "php",
  endings: [".php", ".phtml", ".php5", ".inc", ".module", ".install"],
  names: ["artisan"],
  interpreters: ["php"],
  grammar: "tree-sitter-php.wasm",
  query: `
(class_declaration name: (name) @name body: (_) @body) @def.class
(interface_declaration name: (name) @name body: (_) @body) @def.interface
(trait_declaration name: (name) @name body: (_) @body) @def.trait
(enum_declaration name: (name) @name body: (_) @body) @def.enum
(enum_case name: (name) @name) @def.constant
(function_definition name: (name) @name body: (_) @body) @def.function
(method_declaration name: (name) @name body: (_)? @body) @def.method
(namespace_definition name: (namespace_name (name) @name .) body: (_) @body) @def.module
(const_declaration (const_element . (name) @name)) @def.constant
(function_call_expression function: (name) @is.define arguments: (arguments . (argument (string (string_content) @name)))) @def.constant
(property_declaration (property_element name: (variable_name (name) @name))) @def.field
(property_promotion_parameter name: (variable_name (name) @name)) @def.field
(program (expression_statement (assignment_expression left: (variable_name (name) @name) right: [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)])) @def.function)
(program (expression_statement (assignment_expression left: (variable_name (name) @name))) @def.variable)
(attribute_list) @attr

(namespace_use_declaration) @import.tree
(include_expression (string) @module)
(include_once_expression (string) @module)
(require_expression (string) @module)
(require_once_expression (string) @module)

(base_clause ${TYPE_NAME("@ref.extends")})
(class_interface_clause ${TYPE_NAME("@ref.extends")})
(use_declaration ${TYPE_NAME("@ref.extends")})
(object_creation_expression . ${TYPE_NAME("@ref.new")})
(function_call_expression function: ${TYPE_NAME("@ref.call")})
(member_call_expression object: (_) @qualifier name: (name) @ref.call)
(nullsafe_member_call_expression object: (_) @qualifier name: (name) @ref.call)
(scoped_call_expression scope: (_) @qualifier name: (name) @ref.call)
(attribute ${TYPE_NAME("@ref.type")})
(named_type ${TYPE_NAME("@ref.type")})
(class_constant_access_expression . ${TYPE_NAME("@ref.type")} (_))
(scoped_call_expression scope: ${TYPE_NAME("@ref.type")})
(binary_expression operator: "instanceof" right: ${TYPE_NAME("@ref.type")})
`,
  comments: {
    line: ["//", "#"],
    block: SLASH_COMMENTS.block,
    directive:
      /^(?:\/\/|#|\/\*\*?)\s*(?:phpcs|@phpstan-|@psalm-|@codeCoverage|#\[)/,
  },
  exported: (c) => c.outer && !/\b(?:private|protected)\b/.test(c.modifiers),
  builtinTypes: words("self static parent iterable mixed callable object"),
  builtinCalls: words(
    "count isset empty array_merge array_map array_filter array_keys array_values in_array is_array is_string is_null is_int sprintf strlen str_replace implode explode trim substr strpos preg_match preg_replace dirname file_exists var_dump define",
  ),
  importTree: {
    separator: "\\",
    alias: ["as"],
    wildcard: [],
    keywords: ["use", "function", "const"],
    last: "name",
  },
  moduleSeparator: /[\\/]/,
  sigils: /^\$/,
  tests: {
    paths: /(?:^|\/)[Tt]ests?\/|Test\.php$|\.phpt$/,
    functions: /^test/,
  },
};
