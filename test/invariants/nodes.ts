/** The nodes of a file by kind. Each file is walked once for all scans: none changes it. */
import type {
  KindToNodeMappings,
  Node,
  SourceFile,
  SyntaxKind,
} from "ts-morph";

const walked = new WeakMap<SourceFile, ReadonlyMap<SyntaxKind, Node[]>>();

/** All of one kind, in the order of the text. What stands in comments is none. */
export function ofKind<K extends SyntaxKind>(
  file: SourceFile,
  kind: K,
): readonly KindToNodeMappings[K][] {
  let nodes = walked.get(file);
  if (!nodes) {
    nodes = Map.groupBy(file.forEachDescendantAsArray(), (n) => n.getKind());
    walked.set(file, nodes);
  }
  return (nodes.get(kind) ?? []) as unknown as KindToNodeMappings[K][];
}
