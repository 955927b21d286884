import { SLASH_COMMENTS, words, type Language } from "./language.ts";

const TYPE_NAME = (capture: string): string => `[
  (identifier) ${capture}
  (generic_name . (identifier) ${capture})
  (qualified_name qualifier: (_) @qualifier name: [(identifier) ${capture} (generic_name . (identifier) ${capture})])
]`;

export const csharp: Language = {
  id: "csharp",
  label: "C#",
  fence: "csharp",
  endings: [".cs", ".csx"],
  grammar: "tree-sitter-c-sharp.wasm",
  query: `
(class_declaration name: (identifier) @name body: (_)? @body) @def.class
(struct_declaration name: (identifier) @name body: (_)? @body) @def.struct
(record_declaration name: (identifier) @name body: (_)? @body) @def.class
(record_declaration (parameter_list (parameter name: (identifier) @name) @def.field))
(interface_declaration name: (identifier) @name body: (_)? @body) @def.interface
(enum_declaration name: (identifier) @name body: (_)? @body) @def.enum
(enum_member_declaration name: (identifier) @name) @def.constant
(delegate_declaration name: (identifier) @name) @def.type
(namespace_declaration name: [(identifier) @name (qualified_name name: (identifier) @name)] body: (_) @body) @def.module
(method_declaration name: (identifier) @name body: (_)? @body) @def.method
(constructor_declaration name: (identifier) @name body: (_)? @body) @def.method
(destructor_declaration "~" name: (identifier) @name body: (_)? @body) @def.method
(operator_declaration operator: _ @name body: (_)? @body) @def.method
(indexer_declaration "this" @name accessors: (_)? @body) @def.field
(local_function_statement name: (identifier) @name body: (_) @body) @def.function
(property_declaration name: (identifier) @name accessors: (_) @body) @def.field
(property_declaration name: (identifier) @name) @def.field
(event_declaration name: (identifier) @name) @def.field
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def.field
(field_declaration (modifier "const") (variable_declaration (variable_declarator name: (identifier) @name))) @def.constant
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def.field
(attribute_list) @attr

(using_directive name: (identifier) @alias [(identifier) (qualified_name)] @module .)
(using_directive [(identifier) (qualified_name)] @module .)

(base_list ${TYPE_NAME("@ref.extends")})
(base_list (primary_constructor_base_type . ${TYPE_NAME("@ref.extends")}))
(object_creation_expression type: ${TYPE_NAME("@ref.new")})
(invocation_expression function: [(identifier) @ref.call (generic_name . (identifier) @ref.call)])
(invocation_expression function: (member_access_expression expression: _ @qualifier name: [(identifier) @ref.call (generic_name . (identifier) @ref.call)]))
(invocation_expression function: (conditional_access_expression condition: (_) @qualifier (member_binding_expression name: [(identifier) @ref.call (generic_name . (identifier) @ref.call)])))
(attribute name: ${TYPE_NAME("@ref.type")})
(type_parameter name: (identifier) @typeparam)
(_ type: ${TYPE_NAME("@ref.type")})
(_ returns: ${TYPE_NAME("@ref.type")})
(nullable_type ${TYPE_NAME("@ref.type")})
(type_argument_list ${TYPE_NAME("@ref.type")})
(as_expression right: ${TYPE_NAME("@ref.type")})
(is_expression right: ${TYPE_NAME("@ref.type")})
(generic_name . (identifier) @ref.type)
`,
  comments: {
    line: ["///", "//"],
    block: SLASH_COMMENTS.block,
  },
  // Without a word a type is internal and a member private.
  exported: (c) =>
    c.outer &&
    (c.inside === undefined || c.inside === "module"
      ? !/\bprivate\b/.test(c.modifiers)
      : c.inside === "interface" ||
        c.inside === "enum" ||
        /\b(?:public|internal|protected)\b/.test(c.modifiers)),
  builtinTypes: words("object string String Object dynamic var nint nuint"),
  builtinCalls: words("nameof typeof"),
  moduleSeparator: /\./,
  tests: { paths: /(?:^|\/)[^/]*\.?Tests?\/|(?:Tests?|Specs?|Fixture)\.cs$/ },
};
