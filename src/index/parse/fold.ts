/** Text on one line, cut by length. Units: UTF-16. */

/** White space folded to single blanks, at most `chars`; a cut never halves a surrogate pair. */
export function folded(text: string, chars: number): string {
  // What lies far behind the cut cannot reach it: folding only shortens by white space runs.
  const flat = text.replace(/\s+/g, " ").trim();
  if (flat.length <= chars) return flat;
  const cut = /[\uD800-\uDBFF]/.test(flat[chars - 1]!) ? chars - 1 : chars;
  return flat.slice(0, cut).trimEnd();
}
