import {
  ECMASCRIPT_COMMENTS,
  ECMASCRIPT_CONSTANT,
  ECMASCRIPT_MODULE,
  ECMASCRIPT_QUERY,
  ECMASCRIPT_TESTS,
  ECMASCRIPT_TYPES,
  ecmascriptOwner,
  exportedInModule,
  JSX_QUERY,
} from "./ecmascript.ts";
import type { Language } from "./language.ts";

const MEMBER_NAME = `[(property_identifier) (private_property_identifier) (string)] @name`;

const QUERY = `
(import_statement (import_require_clause (identifier) @alias source: (string) @module))
${ECMASCRIPT_QUERY}
(class_declaration name: (type_identifier) @name body: (_) @body) @def.class
(abstract_class_declaration name: (type_identifier) @name body: (_) @body) @def.class
(interface_declaration name: (type_identifier) @name body: (_) @body) @def.interface
(enum_declaration name: (identifier) @name body: (_) @body) @def.enum
(enum_body name: [(property_identifier) (string)] @name @def.constant)
(enum_body (enum_assignment name: [(property_identifier) (string)] @name) @def.constant)
(type_alias_declaration name: (type_identifier) @name value: (object_type) @body) @def.type
(type_alias_declaration name: (type_identifier) @name) @def.type
(internal_module name: [(identifier) (string)] @name body: (_) @body) @def.module
(internal_module name: (nested_identifier property: (_) @name) body: (_) @body) @def.module
(module name: [(identifier) (string)] @name body: (_) @body) @def.module
(module name: (nested_identifier property: (_) @name) body: (_) @body) @def.module
(function_signature name: (identifier) @name) @def.function
(method_signature name: ${MEMBER_NAME}) @def.method
(abstract_method_signature name: ${MEMBER_NAME}) @def.method
(property_signature name: ${MEMBER_NAME}) @def.field
(public_field_definition name: ${MEMBER_NAME} value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method
(public_field_definition name: ${MEMBER_NAME}) @def.field
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @def.field
(required_parameter "readonly" pattern: (identifier) @name) @def.field
(export_statement (identifier) @exported .)
(ambient_declaration) @wrap

(extends_clause value: (identifier) @ref.extends)
(extends_clause value: (member_expression object: (_) @qualifier property: (property_identifier) @ref.extends))
(implements_clause [(type_identifier) @ref.extends (generic_type name: (type_identifier) @ref.extends)])
(extends_type_clause type: [(type_identifier) @ref.extends (generic_type name: (type_identifier) @ref.extends)])
(type_parameter name: (type_identifier) @typeparam)
(nested_type_identifier module: (_) @qualifier name: (type_identifier) @ref.type)
(type_query (identifier) @ref.type)
(type_identifier) @ref.type
`;

const shared: Readonly<Omit<Language, "id" | "label" | "fence" | "endings">> = {
  comments: ECMASCRIPT_COMMENTS,
  exported: exportedInModule,
  builtinTypes: ECMASCRIPT_TYPES,
  constantName: ECMASCRIPT_CONSTANT,
  owner: ecmascriptOwner,
  moduleSeparator: ECMASCRIPT_MODULE,
  tests: ECMASCRIPT_TESTS,
};

export const typescript: Language = {
  ...shared,
  id: "typescript",
  label: "TypeScript",
  fence: "ts",
  endings: [".ts", ".mts", ".cts"],
  interpreters: ["deno", "tsx", "ts-node"],
  grammar: "tree-sitter-typescript.wasm",
  query: QUERY,
};

export const tsx: Language = {
  ...shared,
  id: "tsx",
  label: "TSX",
  fence: "tsx",
  endings: [".tsx"],
  grammar: "tree-sitter-tsx.wasm",
  query: QUERY + JSX_QUERY,
};
