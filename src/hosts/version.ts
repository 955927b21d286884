/** Whether a version, of numbers with dots between them, is a given one or a later one. */
export function atLeast(version: string, least: string): boolean {
  const [have, need] = [version, least].map((text) =>
    text.split(".").map((part) => Number.parseInt(part, 10) || 0),
  );
  for (const [i, part] of need!.entries())
    if ((have![i] ?? 0) !== part) return (have![i] ?? 0) > part;
  return true;
}
