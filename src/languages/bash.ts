import { words, type Language } from "./language.ts";

export const bash: Language = {
  id: "bash",
  label: "Bash",
  fence: "bash",
  endings: [".sh", ".bash", ".zsh", ".ksh", ".bats", ".ebuild", ".eclass"],
  names: [
    ".bashrc",
    ".bash_profile",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    "pkgbuild",
    "apkbuild",
  ],
  interpreters: ["sh", "bash", "zsh", "ksh", "dash", "ash", "bats"],
  grammar: "tree-sitter-bash.wasm",
  query: `
(function_definition name: (word) @name body: (_) @body) @def.function
(variable_assignment name: (variable_name) @name) @def.variable
(subshell) @local

(command name: (command_name (word) @is.source.) . argument: (_) @module)
(command name: (command_name (word) @ref.call))
`,
  comments: { line: ["#"], block: [], directive: /^#(?:!|\s*shellcheck)/ },
  exported: (c) => c.outer,
  builtinCalls: words(
    "alias awk basename bc bg break builtin case cat cd chgrp chmod chown cmp command continue cp curl cut date dd declare df diff dirname disown docker du echo env eval exec exit export expr false fg find fold getopts git grep gzip head hash hostname id install jobs kill let ln local ls make mapfile mkdir mktemp mv node npm nproc od paste patch popd printf ps pushd pwd python python3 read readarray readlink readonly realpath return rm rmdir rsync sed seq set shift shopt sleep sort stat sudo tail tar tee test time touch tr trap true type typeset ulimit umask unalias uname uniq unset unzip wait wc wget which xargs yes zip [ : .",
  ),
  constantName: /^[A-Z][A-Z0-9_]*$/,
  tests: {
    paths:
      /(?:^|\/)(?:tests?|spec)\/|\.bats$|[_-]test\.sh$|(?:^|\/)test[_-][^/]*\.sh$/,
  },
};
