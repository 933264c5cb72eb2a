// Finds what judges by a clock in the source of a test: a measured time beside a fixed one.
import { parser } from "@lezer/javascript";

/** A place where a measured time is compared with a fixed one. */
interface FixedTime {
  readonly line: number;
  readonly text: string;
}

type SyntaxNode = ReturnType<typeof parser.parse>["topNode"];

const typescript = parser.configure({ dialect: "ts jsx" });

/** A clock, and what times that were measured are called. */
const MEASURED =
  /\b(?:\w*Ms|\w*MS|ms|took\w*|elapsed\w*)\b|\btimed?\(|\b(?:performance|Date|Bun)\.(?:now|nanoseconds)\(|\b(?:hrtime|cpuUsage)\b/;
/** A limit of time, whatever is compared with it. */
const LIMIT_OF_TIME = /\b[A-Z0-9_]*MS\b|\.ms\b/;
const STRING = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g;
/** A name that is no property of another. */
const NAME = /(?<![\w.])[A-Za-z_$][\w$]*/g;
const CONSTANT_NAME = /^[A-Z][A-Z0-9_]*$/;
const NUMBER_DECLARATION = /\bconst (\w+) = [\d_.*+\s]+;/g;
/** Matchers that set an upper limit, which is their last argument. */
const LIMITING = /^(?:toBeLess\w+|toBeWithin)$/;

export function fixedTimesIn(text: string): readonly FixedTime[] {
  if (!MEASURED.test(text)) return [];
  const numbers = new Set([...text.matchAll(NUMBER_DECLARATION)].map(([, name = ""]) => name));
  const isFixed = (expression: string) =>
    namesIn(expression).every((name) => CONSTANT_NAME.test(name) || numbers.has(name));
  const isOfTime = ({ value, limit }: Compared) =>
    LIMIT_OF_TIME.test(limit) || MEASURED.test(value.replaceAll(STRING, ""));
  const found: FixedTime[] = [];
  typescript.parse(text).iterate({
    enter({ name, node }) {
      const compared =
        name === "CallExpression"
          ? parseMatcher(node, text)
          : name === "BinaryExpression"
            ? parseComparison(node, text)
            : null;
      if (compared === null || isFixed(compared.value) || !isFixed(compared.limit)) return;
      if (!isOfTime(compared)) return;
      const line = text.slice(0, node.from).split("\n").length;
      found.push({ line, text: text.slice(node.from, node.to) });
    },
  });
  return found;
}

function namesIn(expression: string): readonly string[] {
  return expression.replaceAll(STRING, "").match(NAME) ?? [];
}

interface Compared {
  readonly value: string;
  readonly limit: string;
}

/** `expect(value).toBeLessThan(limit)`, whatever stands between the two; null for anything else. */
function parseMatcher(call: SyntaxNode, text: string): Compared | null {
  const callee = call.firstChild;
  const matcher = callee?.name === "MemberExpression" ? callee.lastChild : null;
  if (!matcher || !LIMITING.test(text.slice(matcher.from, matcher.to))) return null;
  let subject = callee?.firstChild ?? null;
  while (subject?.name === "MemberExpression") subject = subject.firstChild;
  const [limit] = argumentsOf(call, text).slice(-1);
  if (!subject || !isExpect(subject, text) || limit === undefined) return null;
  return { value: argumentsOf(subject, text)[0] ?? "", limit };
}

/** `value < limit`, in what is expected; null for anything else. */
function parseComparison(comparison: SyntaxNode, text: string): Compared | null {
  const [left, right] = [comparison.firstChild, comparison.lastChild];
  const operator = left?.nextSibling;
  if (!left || !right || operator?.name !== "CompareOp") return null;
  if (!isWithinExpectation(comparison, text)) return null;
  const [one, other] = [left, right].map(({ from, to }) => text.slice(from, to));
  const isBelow = text.slice(operator.from, operator.to).startsWith("<");
  const [value = "", limit = ""] = isBelow ? [one, other] : [other, one];
  return { value, limit };
}

function isWithinExpectation(node: SyntaxNode, text: string): boolean {
  for (let outer = node.parent; outer; outer = outer.parent) {
    if (outer.name === "ExpressionStatement")
      return /^(?:await )?expect\(/.test(text.slice(outer.from));
  }
  return false;
}

function isExpect(node: SyntaxNode, text: string): boolean {
  const callee = node.name === "CallExpression" ? node.firstChild : null;
  return callee !== null && text.slice(callee.from, callee.to) === "expect";
}

function argumentsOf(call: SyntaxNode, text: string): readonly string[] {
  const given: string[] = [];
  const list = call.getChild("ArgList");
  for (let at = list?.firstChild ?? null; at; at = at.nextSibling) {
    if (!/^[(),]$/.test(at.name) && !at.name.includes("Comment")) {
      given.push(text.slice(at.from, at.to));
    }
  }
  return given;
}
