import {
  C_BUILTIN_TYPES,
  C_COMMENTS,
  C_FAMILY_QUERY,
  C_MACROS,
} from "./c-family.ts";
import { words, type Language } from "./language.ts";

/** `A::name` and `a::A::name`, where the last scope counts. */
const qualified = (scope: string, name: string): string => `[
  (qualified_identifier scope: (_) ${scope} name: ${name})
  (qualified_identifier name: (qualified_identifier scope: (_) ${scope} name: ${name}))
]`;

/** A function's declarator, behind a star or a reference. */
const declares = (inner: string): string => `[
  (function_declarator declarator: ${inner})
  (pointer_declarator declarator: (function_declarator declarator: ${inner}))
  (reference_declarator (function_declarator declarator: ${inner}))
]`;

const NAME = `[(identifier) (field_identifier) (destructor_name) (operator_name)] @name`;
const TYPE_NAME = (capture: string): string => `[
  (type_identifier) ${capture}
  (template_type name: (type_identifier) ${capture})
  (qualified_identifier scope: (_) @qualifier name: (type_identifier) ${capture})
  (qualified_identifier scope: (_) @qualifier name: (template_type name: (type_identifier) ${capture}))
  (qualified_identifier name: (qualified_identifier scope: (_) @qualifier name: (type_identifier) ${capture}))
]`;

export const cpp: Language = {
  id: "cpp",
  label: "C++",
  fence: "cpp",
  endings: [
    ".cpp",
    ".cc",
    ".cxx",
    ".c++",
    ".hpp",
    ".hh",
    ".hxx",
    ".h++",
    ".ipp",
    ".inl",
    ".tpp",
    ".cu",
    ".cuh",
    ".ino",
  ],
  grammar: "tree-sitter-cpp.wasm",
  query: `
(function_definition !type declarator: (function_declarator declarator: (identifier) @is.TEST.TEST_F.TEST_P.TYPED_TEST.TYPED_TEST_P parameters: (parameter_list . (parameter_declaration type: (type_identifier) @owner) . (parameter_declaration type: (type_identifier) @name) .)) body: (_) @body) @def.function
(function_definition declarator: ${declares(qualified("@owner", NAME))} body: (_)? @body) @def.method
(function_definition declarator: ${declares(NAME)} body: (_)? @body) @def.function
(declaration declarator: ${declares(`[(identifier) (destructor_name) (operator_name)] @name`)}) @def.function
(field_declaration declarator: ${declares(`[(field_identifier) (operator_name)] @name`)}) @def.method
(class_specifier name: (type_identifier) @name body: (_) @body) @def.class
(class_specifier name: (template_type name: (type_identifier) @name) body: (_) @body) @def.class
(struct_specifier name: (template_type name: (type_identifier) @name) body: (_) @body) @def.struct
(namespace_definition name: (namespace_identifier) @name body: (_) @body) @def.module
(namespace_definition name: (nested_namespace_specifier (namespace_identifier) @name .) body: (_) @body) @def.module
(alias_declaration name: (type_identifier) @name) @def.type
(concept_definition name: (identifier) @name) @def.type
(declaration declarator: (reference_declarator (identifier) @name)) @def.variable
(declaration declarator: (init_declarator declarator: (reference_declarator (identifier) @name))) @def.variable
(field_declaration declarator: (reference_declarator (field_identifier) @name)) @def.field
(declaration declarator: (init_declarator declarator: (qualified_identifier scope: (_) @owner name: (identifier) @name))) @def.variable
(template_declaration) @wrap
${C_FAMILY_QUERY}
(using_declaration (qualified_identifier scope: (_) @module name: (identifier) @ref.import))
(using_declaration (qualified_identifier name: (qualified_identifier name: (identifier) @ref.import)) @module)
(using_declaration "namespace" (identifier) @module)
(base_class_clause ${TYPE_NAME("@ref.extends")})
(new_expression type: ${TYPE_NAME("@ref.new")})
(compound_literal_expression type: ${TYPE_NAME("@ref.new")})
(call_expression function: ${qualified("@qualifier", "[(identifier) @ref.call (template_function name: (identifier) @ref.call)]")})
(call_expression function: (qualified_identifier name: (qualified_identifier name: (qualified_identifier scope: (_) @qualifier name: (identifier) @ref.call))))
(call_expression function: (template_function name: (identifier) @ref.call))
(call_expression function: (field_expression argument: (_) @qualifier field: (template_method name: (field_identifier) @ref.call)))
(type_parameter_declaration (type_identifier) @typeparam)
(optional_type_parameter_declaration name: (type_identifier) @typeparam)
(template_parameter_list [(parameter_declaration declarator: (identifier) @typeparam) (optional_parameter_declaration declarator: (identifier) @typeparam)])
(variadic_type_parameter_declaration (type_identifier) @typeparam)
(qualified_identifier scope: (_) @qualifier name: (type_identifier) @ref.type)
(qualified_identifier scope: (_) @qualifier name: (template_type name: (type_identifier) @ref.type))
(type_identifier) @ref.type
`,
  comments: C_COMMENTS,
  exported: (c) =>
    c.outer && !(c.inside === undefined && /\bstatic\b/.test(c.modifiers)),
  builtinTypes: new Set([...C_BUILTIN_TYPES, "string", "auto"]),
  builtinCalls: words(
    "static_cast dynamic_cast reinterpret_cast const_cast move forward sizeof",
  ),
  owner: (text) => ({ name: text.replace(/<[^]*$/, "").trim() }),
  moduleSeparator: /\/|::/,
  forwardDeclarations: true,
  // The scanner takes delimiters of at most 15 characters; C++ allows 16.
  blank: [
    ...C_MACROS,
    { pattern: /R"([^()\\\s"]{16})\([^]*?\)\1"/g, as: '""' },
  ],
  tests: {
    paths:
      /(?:^|\/)(?:tests?|testing|unittests?)\/|[_-](?:test|tests|unittest)\.(?:cc|cpp|cxx)$/,
    functions: /^TEST/,
  },
};
