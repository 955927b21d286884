/**
 * Fills the placeholders of a wording from the spec. The type of the wording names
 * them, so that a missing or misspelt value does not compile.
 */

/** The `{names}` in a wording: `"+{count} more"` → `"count"`. */
export type Placeholder<T extends string> =
  T extends `${string}{${infer Name}}${infer Rest}`
    ? Name | Placeholder<Rest>
    : never;

/**
 * The wording with its placeholders replaced, each once and literally: a value
 * that looks like a placeholder stays as it is.
 *
 * @spec wording-is-filled
 */
export function say<const T extends string>(
  wording: T,
  ...[values]: [Placeholder<T>] extends [never]
    ? []
    : [values: Readonly<Record<Placeholder<T>, string | number>>]
): string {
  if (values === undefined) return wording;
  const filled: Readonly<Record<string, string | number>> = values;
  return wording.replace(/\{([a-z][A-Za-z0-9]*)\}/g, (_, name: string) =>
    String(filled[name]),
  );
}
