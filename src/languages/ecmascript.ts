/** What JavaScript, TypeScript and TSX share. */
import {
  words,
  type Candidate,
  type Comments,
  type Language,
  type Owner,
} from "./language.ts";

export const ECMASCRIPT_COMMENTS: Comments = {
  line: ["//"],
  block: [["/*", "*/"]],
  directive:
    /^\/[/*]\s*(?:eslint|prettier|@ts-|istanbul|c8 |v8 |biome|#region|#endregion)/,
};

/** Members are as visible as their class; a top-level name needs an export. */
export function exportedInModule(c: Candidate): boolean {
  if (c.inside === undefined) return c.marked;
  if (c.inside === "module") return c.outer && c.marked;
  if (c.inside === "variable" || c.inside === "constant") return c.outer;
  return (
    c.outer &&
    !c.name.startsWith("#") &&
    !/\b(?:private|protected)\b/.test(c.modifiers)
  );
}

export function ecmascriptOwner(text: string): Owner {
  if (text === "exports" || text === "module.exports")
    return { name: "", exports: true };
  if (text === "this" || text === "module") return { name: "" };
  return {
    name:
      text
        .replace(/\.prototype$/, "")
        .split(".")
        .at(-1) ?? "",
  };
}

/** `node:fs` is called `fs`. */
export const ECMASCRIPT_MODULE = /[/:]/;

export const ECMASCRIPT_CONSTANT = /^[A-Z][A-Z0-9_]*$/;

export const ECMASCRIPT_TESTS: Readonly<NonNullable<Language["tests"]>> = {
  paths:
    /(?:^|\/)(?:__tests__|__mocks__|tests?|e2e|specs?|cypress)\/|[._-](?:test|spec|cy|stories)\.[cm]?[jt]sx?$/,
};

export const ECMASCRIPT_TYPES: ReadonlySet<string> = words(
  "Array ReadonlyArray Promise Record Partial Required Readonly Pick Omit Exclude Extract NonNullable ReturnType Parameters Awaited Map Set WeakMap WeakSet Date RegExp Error Function Object String Number Boolean Symbol BigInt Iterable Iterator const",
);

const FUNCTION_VALUE = `[(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]`;

/** Patterns over node types that both grammars have. */
export const ECMASCRIPT_QUERY = `
(variable_declarator name: (identifier) @alias value: (call_expression function: (identifier) @is.require arguments: (arguments . (string) @module .)))
(variable_declarator name: (object_pattern [(shorthand_property_identifier_pattern) @ref.import (pair_pattern key: (property_identifier) @ref.import value: (identifier) @alias)])
  value: (call_expression function: (identifier) @is.require arguments: (arguments . (string) @module .)))
(variable_declarator name: (identifier) @name value: ${FUNCTION_VALUE}) @def.function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @def.class
(variable_declarator name: (identifier) @name value: [(object) (array)] @body) @def.variable
(variable_declarator name: (identifier) @name) @def.variable
(variable_declarator name: (object_pattern [(shorthand_property_identifier_pattern) @name (pair_pattern value: (identifier) @name)])) @def.variable
(variable_declarator name: (array_pattern (identifier) @name)) @def.variable

(function_declaration name: (identifier) @name body: (_) @body) @def.function
(generator_function_declaration name: (identifier) @name body: (_) @body) @def.function
(export_statement "default" @name value: ${FUNCTION_VALUE}) @def.function
(export_statement "default" @name value: (class body: (_) @body)) @def.class
(export_statement "default" @name value: (object) @body) @def.constant

(assignment_expression left: (member_expression object: (_) @owner property: [(property_identifier) (private_property_identifier)] @name) right: ${FUNCTION_VALUE}) @def.function
(assignment_expression left: (member_expression object: (_) @owner property: (property_identifier) @name) right: (class body: (_) @body)) @def.class
(assignment_expression left: (member_expression object: (identifier) @is.module property: (property_identifier) @is.exports) right: (identifier) @exported)
(assignment_expression left: (member_expression object: (identifier) @is.module property: (property_identifier) @is.exports) right: (object [(shorthand_property_identifier) @exported (pair value: (identifier) @exported)]))
(assignment_expression left: (identifier) @name right: ${FUNCTION_VALUE}) @def.function
(function_expression name: (identifier) @name body: (_) @body) @def.function
(generator_function name: (identifier) @name body: (_) @body) @def.function
(class name: (_) @name body: (_) @body) @def.class
(pair key: [(property_identifier) (string)] @name value: ${FUNCTION_VALUE}) @def.method
(method_definition name: [(property_identifier) (private_property_identifier) (string)] @name body: (_) @body) @def.method

(export_statement) @export
(export_statement !source (export_clause (export_specifier name: (identifier) @exported)))
(export_statement "default" value: (identifier) @exported)
(decorator) @attr
(statement_block) @local

(import_statement (import_clause (named_imports (import_specifier name: (_) @ref.import alias: (identifier)? @alias))) source: (string) @module)
(import_statement (import_clause (namespace_import (identifier) @alias)) source: (string) @module)
(import_statement (import_clause (identifier) @ref.import) source: (string) @module)
(import_statement . (string) @module)
(export_statement (export_clause (export_specifier name: (_) @ref.import alias: (_)? @alias)) source: (string) @module)
(export_statement (namespace_export (_) @alias) source: (string) @module)
(export_statement "*" source: (string) @module)
(call_expression function: (import) arguments: (arguments . (string) @module))
(call_expression function: (identifier) @is.require arguments: (arguments . (string) @module .))

(call_expression function: (identifier) @ref.call)
(call_expression function: (member_expression object: (_) @qualifier property: [(property_identifier) (private_property_identifier)] @ref.call))
(new_expression constructor: (identifier) @ref.new)
(new_expression constructor: (member_expression object: (_) @qualifier property: (property_identifier) @ref.new))
(decorator (identifier) @ref.call)
(decorator (member_expression object: (_) @qualifier property: (property_identifier) @ref.call))
`;

/** Elements are calls of their component; those in lower case are HTML. */
export const JSX_QUERY = `
(jsx_opening_element name: (identifier) @ref.component)
(jsx_self_closing_element name: (identifier) @ref.component)
(jsx_opening_element name: (member_expression object: (_) @qualifier property: (property_identifier) @ref.call))
(jsx_self_closing_element name: (member_expression object: (_) @qualifier property: (property_identifier) @ref.call))
`;
