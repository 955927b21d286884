/** What the fields of a class hold, by the names of their types. */
import {
  Node,
  SyntaxKind,
  type ClassDeclaration,
  type SourceFile,
} from "ts-morph";
import type { Breach } from "./invariant.ts";

/** Of these a field may be: none of them holds anything of a caller. */
const FREE: readonly string[] = [
  "Int32Array",
  "InThread",
  "Keeper",
  "NodeJS.Timeout",
  "OpenIndexes",
  "ResourceLimits",
  "URL",
  "ReturnType",
  "Runner",
  "Worker",
  "WorkerPool",
];
/** What extends one of them is one. */
const SHARED: readonly string[] = ["ToolHandler", "InThread", "WorkerPool"];
const PLAIN: readonly SyntaxKind[] = [
  SyntaxKind.NumericLiteral,
  SyntaxKind.TrueKeyword,
  SyntaxKind.FalseKeyword,
];
/** They say nothing about what they hold. */
const ANYTHING: readonly SyntaxKind[] = [
  SyntaxKind.AnyKeyword,
  SyntaxKind.UnknownKeyword,
  SyntaxKind.ObjectKeyword,
  SyntaxKind.TypeLiteral,
];

/** Fields of the handler, and of what runs calls for it, that may hold something of a caller. */
export const heldOfCallers = (file: SourceFile): Breach[] =>
  file
    .getClasses()
    .filter(
      (c) =>
        c.getName() === "ToolHandler" ||
        SHARED.includes(c.getExtends()?.getExpression().getText() ?? "") ||
        c.getImplements().some((i) => i.getText() === "Runner"),
    )
    .flatMap((c) => fieldsOf(c).flatMap((field) => held(field, file)));

const fieldsOf = (type: ClassDeclaration): Node[] => [
  ...type.getProperties(),
  ...type
    .getConstructors()
    .flatMap((c) => c.getParameters().filter((p) => p.isParameterProperty())),
];

/** Follows those interfaces that the file itself declares. */
function held(
  node: Node,
  file: SourceFile,
  followed: readonly string[] = [],
): Breach[] {
  const breach = (what: string): Breach => ({
    node,
    say: `${what}, which all callers would share; let the call carry it`,
  });
  const type = Node.isTyped(node) ? node.getTypeNode() : undefined;
  const value = Node.isInitializerExpressionGetable(node)
    ? node.getInitializer()
    : undefined;
  if (!type)
    return value && isFree(value) ? [] : [breach("a field of any kind")];
  const parts = partsOf(type);
  if (parts.some((part) => ANYTHING.includes(part.getKind())))
    return [breach("a field of any kind")];
  return parts.filter(Node.isTypeReference).flatMap((part): Breach[] => {
    const name = part.getTypeName().getText();
    if (FREE.includes(name) || followed.includes(name)) return [];
    const own = file.getInterface(name);
    if (!own || own.getExtends().length > 0) return [breach(`a ${name}`)];
    return own
      .getMembers()
      .flatMap((member) =>
        Node.isPropertySignature(member)
          ? held(member, file, [...followed, name])
          : [breach(`a ${name}`)],
      );
  });
}

const isFree = (value: Node): boolean =>
  PLAIN.includes(value.getKind()) ||
  (Node.isNewExpression(value) &&
    FREE.includes(value.getExpression().getText()));

/** What a function takes and gives, it does not hold. */
const partsOf = (type: Node): Node[] =>
  Node.isFunctionTypeNode(type)
    ? []
    : [type, ...type.forEachChildAsArray().flatMap(partsOf)];
