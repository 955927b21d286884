/** The global names that a file reads. */
import { Node, SyntaxKind, type Identifier, type SourceFile } from "ts-morph";
import { ofKind } from "./nodes.ts";

/** Identifiers that are read as a value and are no member, declaration or key. */
export function reads(file: SourceFile): Identifier[] {
  return ofKind(file, SyntaxKind.Identifier).filter((id) => {
    const parent = id.getParent();
    if (Node.isPropertyAccessExpression(parent))
      return parent.getExpression() === id;
    if (Node.isPropertyAssignment(parent) || Node.isBindingElement(parent))
      return parent.getInitializer() === id;
    if (
      Node.isVariableDeclaration(parent) ||
      Node.isParameterDeclaration(parent)
    )
      return parent.getInitializer() === id;
    return !(
      Node.isQualifiedName(parent) ||
      Node.isTypeReference(parent) ||
      Node.isImportSpecifier(parent) ||
      Node.isImportClause(parent) ||
      Node.isPropertySignature(parent) ||
      Node.isPropertyDeclaration(parent) ||
      Node.isMethodDeclaration(parent) ||
      Node.isMethodSignature(parent) ||
      Node.isFunctionDeclaration(parent) ||
      Node.isTypeAliasDeclaration(parent) ||
      Node.isInterfaceDeclaration(parent)
    );
  });
}
