/** What a file imports, by whichever syntax. */
import { isBuiltin } from "node:module";
import { posix } from "node:path";
import { Node, SyntaxKind, type SourceFile } from "ts-morph";
import { ofKind } from "./nodes.ts";

export interface Import {
  readonly node: Node;
  readonly specifier: string;
  /** Gone once types are stripped. */
  readonly typeOnly: boolean;
  /** The imported names, as exported; empty for the whole module. */
  readonly names: readonly string[];
}

/** Static and dynamic imports, re-exports, and modules started by their URL. */
export function importsOf(file: SourceFile): Import[] {
  const found: Import[] = [];
  for (const node of file.getImportDeclarations())
    found.push({
      node,
      specifier: node.getModuleSpecifierValue(),
      typeOnly:
        node.isTypeOnly() ||
        (node.getNamedImports().length > 0 &&
          node.getNamedImports().every((n) => n.isTypeOnly()) &&
          !node.getDefaultImport()),
      names: node.getNamedImports().map((n) => n.getName()),
    });
  for (const node of file.getExportDeclarations()) {
    const specifier = node.getModuleSpecifierValue();
    if (specifier !== undefined)
      found.push({ node, specifier, typeOnly: node.isTypeOnly(), names: [] });
  }
  for (const node of ofKind(file, SyntaxKind.CallExpression)) {
    const [first] = node.getArguments();
    const callee = node.getExpression().getText();
    if (/^(import|require)$/.test(callee) && Node.isStringLiteral(first))
      found.push(dynamic(node, first.getLiteralValue()));
  }
  for (const node of ofKind(file, SyntaxKind.NewExpression)) {
    const [first, base] = node.getArguments();
    if (
      node.getExpression().getText() === "URL" &&
      Node.isStringLiteral(first) &&
      base?.getText() === "import.meta.url"
    )
      found.push(dynamic(node, first.getLiteralValue()));
  }
  for (const node of ofKind(file, SyntaxKind.ImportType)) {
    const specifier = /["'](.+?)["']/.exec(node.getArgument().getText());
    if (specifier)
      found.push({
        node,
        specifier: specifier[1]!,
        typeOnly: true,
        names: [],
      });
  }
  return found;
}

const dynamic = (node: Node, specifier: string): Import => ({
  node,
  specifier,
  typeOnly: false,
  names: [],
});

/** `fs` for both `fs` and `node:fs`; undefined for what is no part of Node. */
export const builtin = (specifier: string): string | undefined =>
  isBuiltin(specifier) ? specifier.replace(/^node:/, "") : undefined;

/** The path of a file below `src`, or of what it imports: `dedup/cover.ts`. */
export const pathInSrc = (file: SourceFile): string =>
  file.getFilePath().replace(/^.*?\/src\//, "");

export const target = (file: SourceFile, specifier: string): string =>
  posix.join(posix.dirname(pathInSrc(file)), specifier);
