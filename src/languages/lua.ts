import { words, type Language } from "./language.ts";

export const lua: Language = {
  id: "lua",
  label: "Lua",
  fence: "lua",
  endings: [".lua", ".luau", ".rockspec"],
  interpreters: ["lua", "luajit", "luau"],
  grammar: "tree-sitter-lua.wasm",
  query: `
(assignment_statement (variable_list . name: (identifier) @alias .) (expression_list . value: (function_call name: (identifier) @is.require arguments: (arguments . (string) @module))))
(function_declaration name: (identifier) @name body: (_)? @body) @def.function
(function_declaration name: (dot_index_expression table: (_) @owner field: (identifier) @name) body: (_)? @body) @def.function
(function_declaration name: (method_index_expression table: (_) @owner method: (identifier) @name) body: (_)? @body) @def.method
(assignment_statement (variable_list . name: (identifier) @name .) (expression_list . value: (function_definition body: (_)? @body))) @def.function
(assignment_statement (variable_list . name: (dot_index_expression table: (_) @owner field: (identifier) @name) .) (expression_list . value: (function_definition body: (_)? @body))) @def.function
(assignment_statement (variable_list . name: (identifier) @name .) (expression_list . value: (table_constructor) @body)) @def.variable
(assignment_statement (variable_list name: (identifier) @name)) @def.variable
(assignment_statement (variable_list name: (dot_index_expression table: (identifier) @owner field: (identifier) @name))) @def.variable
(variable_declaration (variable_list name: (identifier) @name)) @def.variable
(field name: (identifier) @name value: (function_definition body: (_)? @body)) @def.method
(block) @local

(function_call name: (identifier) @is.require.dofile.loadfile arguments: (arguments . (string) @module))

(function_call name: (identifier) @ref.call)
(function_call name: (dot_index_expression table: (_) @qualifier field: (identifier) @ref.call))
(function_call name: (method_index_expression table: (_) @qualifier method: (identifier) @ref.call))
`,
  comments: {
    line: ["---", "--"],
    block: [
      ["--[[", "]]"],
      ["--[=[", "]=]"],
    ],
    directive: /^--+\s*(?:luacheck|stylua|selene)/,
  },
  exported: (c) => c.outer && !/^local\b/.test(c.modifiers),
  builtinCalls: words(
    "assert error getmetatable ipairs next pairs pcall print rawequal rawget rawset select setmetatable tonumber tostring type unpack xpcall",
  ),
  owner: (text) => ({ name: text.split(/[.:]/).at(-1)!.trim() }),
  constantName: /^[A-Z][A-Z0-9_]+$/,
  moduleSeparator: /[./]/,
  tests: { paths: /(?:^|\/)(?:spec|tests?)\/|_(?:spec|test)\.lua$/ },
};
