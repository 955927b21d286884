/** Numbers and strings of the spec that somebody typed into the source. */
import { Node, SyntaxKind, type SourceFile } from "ts-morph";
import { limits, wordings } from "../../src/spec.gen.ts";
import type { Breach } from "./invariant.ts";
import { ofKind } from "./nodes.ts";

/** Below this, a number is a count of things in sight more often than a threshold. */
const SMALL = 10;
/** Two, one and nought are pairs, ends and emptiness, even in a comparison. */
const TRIVIAL = 2;
/** The middle of many things that no row of the spec sets. */
const HALF = 0.5;
/** A value that says little when it recurs: a short wording may be a common word. */
const SHORT_WORDING = 12;
const UNITS: ReadonlySet<number> = new Set([10, 16, 60, 100, 1000, 1024]);

export interface SpecValues {
  readonly limits: Readonly<Record<string, number>>;
  readonly wordings: Readonly<Record<string, string>>;
}

export function retyped(
  file: SourceFile,
  spec: SpecValues = { limits, wordings },
): Breach[] {
  return [
    ...numbers(file, spec),
    ...compared(file, spec),
    ...capitals(file),
    ...strings(file, spec),
  ];
}

function numbers(file: SourceFile, spec: SpecValues): Breach[] {
  const names = Map.groupBy(Object.keys(spec.limits), (k) => spec.limits[k]!);
  return ofKind(file, SyntaxKind.NumericLiteral).flatMap((node): Breach[] => {
    const value = node.getLiteralValue();
    const same = names.get(value);
    if (!same || convertsUnit(node, value) || isCode(node)) return [];
    if (node.getText().startsWith("0x")) return [];
    const isSmall =
      value === HALF || (Number.isInteger(value) && value < SMALL);
    if (isSmall && (isTrivial(value) || !bounds(node))) return [];
    return [
      {
        node,
        say: `${value} is ${same.join(", ")} of the spec; import it, or say what else it is`,
      },
    ];
  });
}

const isTrivial = (value: number): boolean =>
  Number.isInteger(value) && value <= TRIVIAL;

/** Compared for equality it is a code, of a character or a state, and bounds nothing. */
function isCode(node: Node): boolean {
  const parent = node.getParent();
  return (
    Node.isCaseClause(parent) ||
    (Node.isBinaryExpression(parent) &&
      /^[!=]==$/.test(parent.getOperatorToken().getText()))
  );
}

/** An operand of `* / %`, the radix of toString and parseInt, a power of two. */
function convertsUnit(node: Node, value: number): boolean {
  const parent = node.getParent();
  if (
    Node.isBinaryExpression(parent) &&
    parent.getOperatorToken().getText() === "<<"
  )
    return true;
  if (!UNITS.has(value)) return false;
  return (
    (Node.isBinaryExpression(parent) &&
      /^[*/%]$/.test(parent.getOperatorToken().getText())) ||
    (Node.isCallExpression(parent) &&
      /\b(toString|parseInt)$/.test(parent.getExpression().getText()))
  );
}

/** An operand of `< <= > >=`, the end of a slice, an argument of Math.min or max. */
function bounds(node: Node): boolean {
  const parent = node.getParent();
  if (Node.isBinaryExpression(parent))
    return /^[<>]=?$/.test(parent.getOperatorToken().getText());
  if (!Node.isCallExpression(parent)) return false;
  const callee = parent.getExpression().getText();
  const at = parent.getArguments().indexOf(node);
  return (
    (/\.slice$/.test(callee) && at === 1) || /^Math\.(min|max)$/.test(callee)
  );
}

/** A bound in sight that the spec does not know. Codes are told apart by their `0x`. */
function compared(file: SourceFile, spec: SpecValues): Breach[] {
  const known = new Set(Object.values(spec.limits));
  return ofKind(file, SyntaxKind.NumericLiteral)
    .filter((node) => {
      const value = node.getLiteralValue();
      const parent = node.getParent();
      return (
        value >= SMALL &&
        !known.has(value) &&
        !node.getText().startsWith("0x") &&
        Node.isBinaryExpression(parent) &&
        /^[<>]=?$/.test(parent.getOperatorToken().getText())
      );
    })
    .map((node) => ({
      node,
      say: `${node.getText()} is a bound that the spec does not know; give it a row, or write a code as 0x${node.getLiteralValue().toString(16)}`,
    }));
}

function capitals(file: SourceFile): Breach[] {
  const all = ofKind(file, SyntaxKind.VariableDeclaration);
  return all.flatMap((v): Breach[] => {
    const value = v.getInitializer();
    if (!value || !/^[A-Z][A-Z0-9_]*$/.test(v.getName())) return [];
    const isNumber = /^[\d_.\s*+/()-]+$/.test(value.getText());
    const literals = Node.isNumericLiteral(value)
      ? [value]
      : value.getDescendantsOfKind(SyntaxKind.NumericLiteral);
    if (!isNumber || literals.every((n) => n.getLiteralValue() < SMALL))
      return [];
    return [
      {
        node: v,
        say: `${v.getName()} is a bound that the spec does not know; give it a row, or say why it is none`,
      },
    ];
  });
}

function strings(file: SourceFile, spec: SpecValues): Breach[] {
  const names = new Map(
    Object.entries(spec.wordings)
      .filter(([, text]) => text.length >= SHORT_WORDING)
      .map(([name, text]) => [text, name]),
  );
  return [
    ...ofKind(file, SyntaxKind.StringLiteral),
    ...ofKind(file, SyntaxKind.NoSubstitutionTemplateLiteral),
  ].flatMap((node): Breach[] => {
    const name = names.get(node.getLiteralValue());
    return name ? [{ node, say: `this is wordings.${name}; import it` }] : [];
  });
}
