import {
  ECMASCRIPT_COMMENTS,
  ECMASCRIPT_CONSTANT,
  ECMASCRIPT_MODULE,
  ECMASCRIPT_QUERY,
  ECMASCRIPT_TESTS,
  ecmascriptOwner,
  exportedInModule,
  JSX_QUERY,
} from "./ecmascript.ts";
import type { Language } from "./language.ts";

export const javascript: Language = {
  id: "javascript",
  label: "JavaScript",
  fence: "js",
  endings: [".js", ".jsx", ".mjs", ".cjs"],
  names: ["jakefile"],
  interpreters: ["node", "nodejs", "bun"],
  grammar: "tree-sitter-javascript.wasm",
  query: `
${ECMASCRIPT_QUERY}
(class_declaration name: (identifier) @name body: (_) @body) @def.class
(field_definition property: [(property_identifier) (private_property_identifier)] @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method
(field_definition property: [(property_identifier) (private_property_identifier)] @name) @def.field
(class_heritage (identifier) @ref.extends)
(class_heritage (member_expression object: (_) @qualifier property: (property_identifier) @ref.extends))
${JSX_QUERY}
`,
  comments: ECMASCRIPT_COMMENTS,
  exported: exportedInModule,
  constantName: ECMASCRIPT_CONSTANT,
  owner: ecmascriptOwner,
  moduleSeparator: ECMASCRIPT_MODULE,
  tests: ECMASCRIPT_TESTS,
};
