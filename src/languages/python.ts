import { words, type Language } from "./language.ts";

export const python: Language = {
  id: "python",
  label: "Python",
  fence: "python",
  endings: [".py", ".pyi", ".pyw"],
  names: ["sconstruct", "sconscript", "wscript"],
  interpreters: ["python", "pypy", "uv"],
  grammar: "tree-sitter-python.wasm",
  query: `
(function_definition name: (identifier) @name body: (_) @body) @def.function
(class_definition name: (identifier) @name body: (_) @body) @def.class
(type_alias_statement left: (type (identifier) @name)) @def.type
(assignment left: (identifier) @name right: (lambda body: (_) @body)) @def.function
(assignment left: (identifier) @name) @def.variable
(assignment left: (pattern_list (identifier) @name)) @def.variable
(decorator) @attr
(block . (expression_statement . (string) @docstring))
(lambda) @local

(import_statement name: (dotted_name) @module)
(import_statement name: (aliased_import name: (dotted_name) @module alias: (identifier) @alias))
(import_from_statement module_name: (_) @module name: (dotted_name) @ref.import)
(import_from_statement module_name: (_) @module name: (aliased_import name: (dotted_name) @ref.import alias: (identifier) @alias))
(import_from_statement module_name: (_) @module (wildcard_import))

(class_definition superclasses: (argument_list [
  (identifier) @ref.extends
  (attribute object: (_) @qualifier attribute: (identifier) @ref.extends)
  (subscript value: (identifier) @ref.extends)
  (subscript value: (attribute object: (_) @qualifier attribute: (identifier) @ref.extends))
]))
(call function: (identifier) @ref.call)
(call function: (attribute object: (_) @qualifier attribute: (identifier) @ref.call))
(decorator (identifier) @ref.call)
(decorator (attribute object: (_) @qualifier attribute: (identifier) @ref.call))
(class_definition type_parameters: (type_parameter (type (identifier) @typeparam)))
(function_definition type_parameters: (type_parameter (type (identifier) @typeparam)))
(type (identifier) @ref.type)
(type (attribute object: (_) @qualifier attribute: (identifier) @ref.type))
(type (subscript value: (identifier) @ref.type))
(type (binary_operator (identifier) @ref.type))
(type (binary_operator (attribute object: (_) @qualifier attribute: (identifier) @ref.type)))
(generic_type (identifier) @ref.type)
`,
  comments: {
    line: ["#"],
    block: [],
    directive: /^#\s*(?:type:|noqa|pylint|mypy|pragma|fmt:|ruff|!|-\*-)/,
  },
  exported: (c) =>
    c.outer && (!c.name.startsWith("_") || /^__\w+__$/.test(c.name)),
  builtinTypes: words(
    "Any Callable ClassVar Dict Final Generic Iterable Iterator List Literal None Optional Sequence Set Tuple Type Union bool bytes dict float frozenset int list object set str tuple type",
  ),
  builtinCalls: words(
    "abs all any bool bytes dict enumerate float frozenset getattr hasattr int isinstance issubclass iter len list map max min next print range repr reversed set setattr sorted str sum super tuple type zip",
  ),
  constantName: /^_?[A-Z][A-Z0-9_]*$/,
  moduleSeparator: /\./,
  tests: {
    paths:
      /(?:^|\/)(?:tests?|testing)\/|(?:^|\/)(?:test_[^/]*|[^/]*_test|conftest)\.py$/,
    functions: /^test_|^Test[A-Z]/,
  },
};
