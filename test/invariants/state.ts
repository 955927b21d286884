/** What outlives a call: top-level and static values that can change. */
import {
  Node,
  SyntaxKind,
  VariableDeclarationKind,
  type SourceFile,
} from "ts-morph";
import type { Breach } from "./invariant.ts";
import { ofKind } from "./nodes.ts";

const PRIMITIVE =
  /^(string|number|boolean|bigint|symbol|unique symbol|undefined|null|RegExp|("[^"]*"|\d+)(\s*\|\s*("[^"]*"|\d+))*)$/;
const READONLY = /^(readonly\b|Readonly(Array|Map|Set)?<)/;
/** Objects without a state that the usual use of their methods changes. */
const STATELESS = /^(TextEncoder|TextDecoder|URL|Intl\.\w+|RegExp)$/;
const FREEZERS = /^(Object\.freeze|String\.raw|Symbol|String|Number|BigInt)$/;

export function moduleState(file: SourceFile): Breach[] {
  const breaches: Breach[] = [];
  const say = (name: string): string =>
    `"${name}" outlives the call; keep it on the session, freeze it, or give it a readonly type`;
  for (const statement of file.getVariableStatements())
    for (const node of statement.getDeclarations()) {
      if (statement.hasDeclareKeyword()) continue;
      const isConst =
        statement.getDeclarationKind() === VariableDeclarationKind.Const;
      if (!isConst || !constant(node, file))
        breaches.push({ node, say: say(node.getName()) });
    }
  for (const type of ofKind(file, SyntaxKind.ClassDeclaration))
    for (const node of type.getStaticProperties())
      if (
        Node.isPropertyDeclaration(node) &&
        !(node.isReadonly() && constant(node, file))
      )
        breaches.push({ node, say: say(node.getName()) });
  return [...breaches, ...remembering(file)];
}

type Declared = Node & {
  getTypeNode(): Node | undefined;
  getInitializer(): Node | undefined;
};

const constant = (declared: Declared, file: SourceFile): boolean => {
  const type = declared.getTypeNode();
  if (type && unchanging(type, file)) return true;
  const value = declared.getInitializer();
  return value === undefined ? false : frozen(value, file);
};

/** A type through which nothing can be changed. */
function unchanging(type: Node, file: SourceFile): boolean {
  const text = type.getText();
  if (PRIMITIVE.test(text) || READONLY.test(text)) return true;
  if (Node.isFunctionTypeNode(type)) return true;
  if (!Node.isTypeReference(type)) return false;
  const name = type.getTypeName().getText();
  // Without a type checker a name means what any file of the scan declares by it.
  for (const other of file.getProject().getSourceFiles()) {
    const found = other.getInterface(name);
    if (found)
      return [
        ...found.getProperties().map((p) => p.isReadonly()),
        ...found.getExtends().map((e) => READONLY.test(e.getText())),
      ].every(Boolean);
    const alias = other.getTypeAlias(name)?.getTypeNode();
    if (alias) return unchanging(alias, other);
  }
  return false;
}

/** A value that cannot change, or that nothing in this file can tell apart from one. */
function frozen(value: Node, file: SourceFile): boolean {
  if (Node.isAsExpression(value)) {
    const type = value.getTypeNode()!;
    return type.getText() === "const" || unchanging(type, file);
  }
  if (
    Node.isSatisfiesExpression(value) ||
    Node.isParenthesizedExpression(value)
  )
    return frozen(value.getExpression(), file);
  if (Node.isConditionalExpression(value))
    return (
      frozen(value.getWhenTrue(), file) && frozen(value.getWhenFalse(), file)
    );
  if (Node.isNewExpression(value))
    return STATELESS.test(value.getExpression().getText());
  if (Node.isCallExpression(value))
    return FREEZERS.test(value.getExpression().getText());
  return !(
    Node.isArrayLiteralExpression(value) ||
    Node.isObjectLiteralExpression(value) ||
    Node.isAwaitExpression(value) ||
    Node.isTaggedTemplateExpression(value)
  );
}

/** A top-level expression with `g` or `y` keeps its `lastIndex` from call to call. */
function remembering(file: SourceFile): Breach[] {
  const names = new Set(
    file
      .getVariableDeclarations()
      .filter((v) =>
        /^\/.*\/[a-z]*[gy][a-z]*$/s.test(v.getInitializer()?.getText() ?? ""),
      )
      .map((v) => v.getName()),
  );
  return ofKind(file, SyntaxKind.PropertyAccessExpression)
    .filter(
      (access) =>
        /^(exec|test)$/.test(access.getName()) &&
        names.has(access.getExpression().getText()),
    )
    .map((node) => ({
      node,
      say: `${node.getText()} remembers where it stopped; use matchAll, or drop the flag`,
    }));
}
