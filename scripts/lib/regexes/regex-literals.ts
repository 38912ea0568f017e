/** Finds the regexes of a source file: literals, and patterns built from constants. */
import { type Expression, parseSync, type SpreadElement, Visitor } from "oxc-parser";

export interface FoundRegex {
  line: number;
  pattern: string;
  flags: string;
}

/** Placeholder for parts known only at run time, such as a header name. */
const UNKNOWN_PART = "x";

/** @throws Error if the text does not parse */
export function findRegexes(file: string, text: string): FoundRegex[] {
  const { program, errors } = parseSync(file, text);
  const [error] = errors;
  if (error) throw new Error(`${file}: ${error.message}`);
  const constants = new Map<string, Expression>();
  const found: FoundRegex[] = [];
  const add = (start: number, pattern: string, flags: string): void => {
    found.push({ line: text.slice(0, start).split("\n").length, pattern, flags });
  };
  const addConstructed = (start: number, [pattern, flags]: (Expression | SpreadElement)[]): void =>
    add(start, foldConstant(pattern, constants), flags ? foldConstant(flags, constants) : "");
  const isRegExp = (callee: Expression): boolean =>
    callee.type === "Identifier" && callee.name === "RegExp";

  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type === "Identifier" && init) constants.set(id.name, init);
    },
  }).visit(program);
  new Visitor({
    Literal(node) {
      if ("regex" in node) add(node.start, node.regex.pattern, node.regex.flags);
    },
    NewExpression(node) {
      if (isRegExp(node.callee)) addConstructed(node.start, node.arguments);
    },
    CallExpression(node) {
      if (isRegExp(node.callee)) addConstructed(node.start, node.arguments);
    },
  }).visit(program);
  return found;
}

/** Evaluates a string expression, as far as the constants of the file allow. */
function foldConstant(
  node: Expression | SpreadElement | undefined,
  constants: ReadonlyMap<string, Expression>,
): string {
  switch (node?.type) {
    case "Literal":
      return typeof node.value === "string" ? node.value : UNKNOWN_PART;
    case "Identifier": {
      const others = new Map(constants);
      // Prevents endless recursion for a name that is bound to itself.
      others.delete(node.name);
      return foldConstant(constants.get(node.name), others);
    }
    case "BinaryExpression":
      return node.operator === "+"
        ? foldConstant(node.left, constants) + foldConstant(node.right, constants)
        : UNKNOWN_PART;
    case "TemplateLiteral":
      return node.quasis
        .map(
          ({ value }, index) =>
            (index > 0 ? foldConstant(node.expressions[index - 1], constants) : "") +
            (value.cooked ?? ""),
        )
        .join("");
    case "TaggedTemplateExpression":
      // String.raw is the only tag that returns strings.
      return node.quasi.quasis
        .map(
          ({ value }, index) =>
            (index > 0 ? foldConstant(node.quasi.expressions[index - 1], constants) : "") +
            value.raw,
        )
        .join("");
    default:
      return UNKNOWN_PART;
  }
}
