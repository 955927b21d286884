/** What C and C++ share: declarators, which wrap a name in the shape of its use. */
import {
  SLASH_COMMENTS,
  words,
  type Comments,
  type Language,
} from "./language.ts";

export const C_COMMENTS: Comments = {
  line: ["///", "//!", "//"],
  block: SLASH_COMMENTS.block,
  directive: /^\/[/*]\s*(?:NOLINT|clang-format|IWYU)/,
};

export const C_BUILTIN_TYPES: ReadonlySet<string> = words(
  "size_t ssize_t ptrdiff_t intptr_t uintptr_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t bool wchar_t char8_t char16_t char32_t va_list FILE NULL",
);

/**
 * Macros that stand where the grammars expect none. Their names tell: capitals.
 * Only the parser is spared them; signatures show what is written.
 */
export const C_MACROS: Readonly<NonNullable<Language["blank"]>> = [
  // `LIB_EXTERN int f(void)`: before the type of a function.
  {
    pattern:
      /^[ \t]*(?:(?:extern|static|inline)[ \t]+)*[A-Z][A-Z0-9_]{3,}(?=[ \t]+(?:[A-Za-z_][\w:]*[ \t]+[*&]*|[A-Za-z_][\w:]*[*&]+[ \t]*)+[A-Za-z_]\w*[ \t]*\()/gm,
    as: "",
  },
  // `int f(const char *, ...) LIB_PRINTF(1, 2);`: behind its parameters.
  {
    pattern:
      /(?<=\)\s*)\b[A-Z_]*(?:PRINTF|FORMAT|ATTR|NORETURN|NOTHROW|NOEXCEPT|DEPRECATED|UNUSED|NONNULL|SENTINEL|MALLOC|ALLOC_SIZE)[A-Z0-9_]*(?:\([^()\n]*\))?(?=\s*[;{])/g,
    as: "",
  },
  // `LIB_BEGIN_NAMESPACE` alone on its line, and no part of a list or an expression.
  {
    pattern:
      /^[ \t]*[A-Z][A-Z0-9_]{3,}(?=[ \t]*\r?\n(?!\s*[)\],|&?:+*\/=.;-]))(?<![,(=|&+?:*\/\\-]\s*\n[ \t]*\w+)(?<!\benum\b[^;}]*)/gm,
    as: "",
  },
  // `class LIB_API Name {`.
  {
    pattern:
      /(?<=\b(?:class|struct)[ \t]+)[A-Z][A-Z0-9_]{3,}(?:\([^()\n]*\))?(?=[ \t]+[A-Za-z_]\w*\s*(?:final\s*)?[:{])/g,
    as: "",
  },
];

/** A declarator behind up to two stars. */
export const pointed = (inner: string): string => `[
  ${inner}
  (pointer_declarator declarator: ${inner})
  (pointer_declarator declarator: (pointer_declarator declarator: ${inner}))
]`;

/** A plain variable's declarator: behind stars and brackets. */
const variable = (name: string): string => `[
  ${name}
  (pointer_declarator declarator: ${name})
  (pointer_declarator declarator: (pointer_declarator declarator: ${name}))
  (array_declarator declarator: ${name})
  (array_declarator declarator: (array_declarator declarator: ${name}))
  (pointer_declarator declarator: (array_declarator declarator: ${name}))
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: ${name})))
]`;

/** Patterns over node types that both grammars have. */
export const C_FAMILY_QUERY: string = `
(preproc_def name: (identifier) @name value: (_)) @def.macro
(preproc_function_def name: (identifier) @name value: (_) @body) @def.macro
(struct_specifier name: (type_identifier) @name body: (_) @body) @def.struct
(union_specifier name: (type_identifier) @name body: (_) @body) @def.struct
(enum_specifier name: (type_identifier) @name body: (_) @body) @def.enum
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.struct
(type_definition type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.struct
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.enum
(type_definition type: [(struct_specifier name: (_) body: (_)) (union_specifier name: (_) body: (_)) (enum_specifier name: (_) body: (_))] declarator: (type_identifier) @name @def.type)
(type_definition declarator: ${variable("(type_identifier) @name")}) @def.type
(type_definition declarator: (function_declarator declarator: (type_identifier) @name)) @def.type
(enumerator name: (identifier) @name) @def.constant
(field_declaration declarator: ${variable("(field_identifier) @name")}) @def.field
(declaration declarator: ${variable("(identifier) @name")}) @def.variable
(declaration declarator: (init_declarator declarator: ${variable("(identifier) @name")})) @def.variable
(compound_statement) @local

(preproc_include path: (_) @module)

(call_expression function: (identifier) @ref.call)
(call_expression function: (field_expression argument: (_) @qualifier field: (field_identifier) @ref.call))
(call_expression function: (parenthesized_expression (pointer_expression argument: (identifier) @ref.call)))
`;
