import { words, type Language } from "./language.ts";

const TYPE_NAME = (capture: string): string => `[
  (constant) ${capture}
  (scope_resolution scope: (_) @qualifier name: (constant) ${capture})
]`;

export const ruby: Language = {
  id: "ruby",
  label: "Ruby",
  fence: "ruby",
  endings: [".rb", ".rake", ".gemspec", ".ru", ".podspec", ".jbuilder", ".rbi"],
  names: [
    "rakefile",
    "gemfile",
    "guardfile",
    "capfile",
    "vagrantfile",
    "podfile",
    "fastfile",
    "brewfile",
    "dangerfile",
    "appraisals",
    "berksfile",
    "thorfile",
  ],
  interpreters: ["ruby", "jruby", "rake"],
  grammar: "tree-sitter-ruby.wasm",
  query: `
(module name: [(constant) @name (scope_resolution name: (constant) @name)] body: (_)? @body) @def.module
(class name: [(constant) @name (scope_resolution name: (constant) @name)] body: (_)? @body) @def.class
(assignment left: (constant) @name right: (call receiver: (constant) @is.Struct.Class.Module.Data method: (identifier) @is.new.define block: (_) @body)) @def.class
(method name: (_) @name body: (_)? @body) @def.method
(singleton_method object: (constant) @owner name: (_) @name body: (_)? @body) @def.method
(singleton_method name: (_) @name body: (_)? @body) @def.method
(alias name: (_) @name) @def.method
(call !receiver method: (identifier) @is.attr_reader.attr_writer.attr_accessor.cattr_accessor.mattr_accessor.attribute arguments: (argument_list (simple_symbol) @name)) @def.field
(call !receiver method: (identifier) @is.define_method.scope.delegate arguments: (argument_list . (simple_symbol) @name)) @def.method
(assignment left: (constant) @name) @def.constant
(program (assignment left: (identifier) @name) @def.variable)
(assignment left: (global_variable) @name) @def.variable
(do_block) @local
(block) @local

(call !receiver method: (identifier) @is.require.require_relative.load.autoload arguments: (argument_list (string) @module .))

(superclass ${TYPE_NAME("@ref.extends")})
(call !receiver method: (identifier) @is.include.extend.prepend arguments: (argument_list ${TYPE_NAME("@ref.extends")}))
(call receiver: ${TYPE_NAME("@ref.new")} method: (identifier) @is.new)
(call receiver: (_) @qualifier method: [(identifier) (constant)] @ref.call)
(call !receiver method: (identifier) @ref.call)
(scope_resolution scope: (_) @qualifier name: (constant) @ref.type)
(constant) @ref.type
`,
  comments: {
    line: ["#"],
    block: [["=begin", "=end"]],
    directive: /^#\s*(?:frozen_string_literal|rubocop|encoding|typed|!|-\*-)/,
  },
  exported: (c) => c.outer,
  builtinTypes: words(
    "Array Hash String Integer Float Symbol Proc Kernel Object StandardError ArgumentError Struct Class Module Comparable Enumerable",
  ),
  builtinCalls: words(
    "raise puts print p private protected public module_function private_constant lambda proc loop block_given? attr_reader attr_writer attr_accessor",
  ),
  sigils: /^@@?/,
  tests: {
    paths: /(?:^|\/)(?:spec|test|tests|features)\/|_(?:spec|test)\.rb$/,
    functions: /^test_/,
  },
};
