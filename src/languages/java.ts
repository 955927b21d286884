import { SLASH_COMMENTS, words, type Language } from "./language.ts";

const TYPE_NAME = (capture: string): string => `[
  (type_identifier) ${capture}
  (generic_type (type_identifier) ${capture})
  (scoped_type_identifier (_) @qualifier (type_identifier) ${capture} .)
  (generic_type (scoped_type_identifier (_) @qualifier (type_identifier) ${capture} .))
]`;

export const java: Language = {
  id: "java",
  label: "Java",
  fence: "java",
  endings: [".java"],
  interpreters: ["java"],
  grammar: "tree-sitter-java.wasm",
  query: `
(class_declaration name: (identifier) @name body: (_) @body) @def.class
(interface_declaration name: (identifier) @name body: (_) @body) @def.interface
(annotation_type_declaration name: (identifier) @name body: (_) @body) @def.interface
(enum_declaration name: (identifier) @name body: (_) @body) @def.enum
(record_declaration name: (identifier) @name body: (_) @body) @def.class
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @def.field))
(enum_constant name: (identifier) @name) @def.constant
(constructor_declaration name: (identifier) @name body: (_) @body) @def.method
(compact_constructor_declaration name: (identifier) @name body: (_) @body) @def.method
(method_declaration name: (identifier) @name body: (_)? @body) @def.method
(annotation_type_element_declaration name: (identifier) @name) @def.method
(field_declaration (modifiers "static" "final") declarator: (variable_declarator name: (identifier) @name)) @def.constant
(field_declaration (modifiers "final" "static") declarator: (variable_declarator name: (identifier) @name)) @def.constant
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @def.field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @def.constant
(marker_annotation) @attr
(annotation) @attr

(import_declaration (scoped_identifier) @module (asterisk))
(import_declaration (scoped_identifier scope: (_) @module name: (identifier) @ref.import) .)

(superclass ${TYPE_NAME("@ref.extends")})
(super_interfaces (type_list ${TYPE_NAME("@ref.extends")}))
(extends_interfaces (type_list ${TYPE_NAME("@ref.extends")}))
(object_creation_expression type: ${TYPE_NAME("@ref.new")})
(method_invocation object: (_) @qualifier name: (identifier) @ref.call)
(method_invocation name: (identifier) @ref.call)
(method_reference (_) @qualifier "::" (identifier) @ref.call)
(marker_annotation name: (identifier) @ref.type)
(annotation name: (identifier) @ref.type)
(type_parameter . (type_identifier) @typeparam)
(scoped_type_identifier (_) @qualifier (type_identifier) @ref.type .)
(type_identifier) @ref.type
`,
  comments: SLASH_COMMENTS,
  // Without a word the package sees it.
  exported: (c) => c.outer && !/\bprivate\b/.test(c.modifiers),
  builtinTypes: words(
    "Boolean Byte Character Class Double Float Integer Long Object Override Short String Void SuppressWarnings Deprecated FunctionalInterface SafeVarargs var",
  ),
  moduleSeparator: /\./,
  tests: {
    paths:
      /(?:^|\/)(?:src\/(?:test|it|testFixtures)|tests?)\/|(?:Test|Tests|IT|TestCase)\.java$/,
  },
};
