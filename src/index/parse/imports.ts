/** Import clauses that are read as text: `a::{b, c::{d as e}}` → what they bring in, and from where. */
import type { ImportTree } from "../../languages/language.ts";

export interface Import {
  readonly name: string;
  readonly module: string;
  readonly alias: string;
  /** Offset of the name in the text. */
  readonly at: number;
}

/**
 * The leaves of an import clause without its keyword. Nesting is kept on a list,
 * not on the call stack.
 * Errs: toward fewer. What it cannot read is skipped.
 * @spec import-clauses
 */
export function importLeaves(text: string, tree: ImportTree): Import[] {
  const out: Import[] = [];
  const prefixes: string[] = [""];
  const token = /[\p{L}\p{N}_$*@-]+|::|=>|[{}(),;.\\/]/gu;
  let path: string[] = [];
  let at = 0;
  let alias = "";
  let wantAlias = false;
  const end = (): void => {
    if (path.length > 0) {
      const last = path.at(-1)!;
      const whole = tree.wildcard.includes(last) || last === "self";
      const parts = [prefixes.at(-1)!, ...path].filter((p) => p !== "");
      if (whole) parts.pop();
      const module = parts.join(tree.separator);
      const name = module.slice(
        module.lastIndexOf(tree.separator) +
          (module.includes(tree.separator) ? tree.separator.length : 0),
      );
      const from =
        whole || tree.last === "module"
          ? module
          : parts.slice(0, -1).join(tree.separator);
      if (name !== "")
        out.push({
          name,
          module: from,
          alias: alias === name ? "" : alias,
          at,
        });
    }
    path = [];
    alias = "";
    wantAlias = false;
  };
  for (const m of text.matchAll(token)) {
    const t = m[0];
    if (t === "{") {
      prefixes.push(
        [prefixes.at(-1)!, ...path]
          .filter((p) => p !== "")
          .join(tree.separator),
      );
      path = [];
    } else if (t === "}") {
      end();
      if (prefixes.length > 1) prefixes.pop();
    } else if (t === "," || t === ";") end();
    else if (t === tree.separator || t === "(" || t === ")") continue;
    else if (path.length === 0 && tree.keywords?.includes(t)) continue;
    else if (tree.alias.includes(t)) wantAlias = true;
    else if (wantAlias) alias = t;
    else if (/^[\p{L}_$*@\p{N}]/u.test(t)) {
      path.push(t);
      at = m.index;
    }
  }
  end();
  return out;
}
