// The titles of a file's tests, as its source says them: what a comment says is no test.
import { parser } from "@lezer/javascript";

/** `long`: only `npm run test:long` takes it. `skipped`: on some machines of CI too, for all that is known here. */
export interface TitledTest {
  /** From the repository's root. */
  readonly file: string;
  /** With those of its groups before it; each up to the first value that is put in. */
  readonly title: string;
  readonly manner: "ordinary" | "long" | "skipped";
}

type SyntaxNode = ReturnType<typeof parser.parse>["topNode"];

interface Group {
  /** Null where it is put together. */
  readonly title: string | null;
  readonly isSkipped: boolean;
  readonly to: number;
}

const typescript = parser.configure({ dialect: "ts jsx" });
/** Whatever runs a test here is named so. */
const RUNS_A_TEST = /^(?:test|\w+Test)\b/;
const NEVER_RUN = /^\w+\.(?:skip|todo|failing)\b/;
/** What decides whether it runs: `test.skipIf(…)`. */
const CONDITION = /^\w+\.(?:skipIf|todoIf|if)\(([\s\S]*)\)$/;
/** Conditions that skip nothing in CI: it is on Linux, and has the tools that `scripts/system-tools.mjs` looks for, and Pi. */
const HOLDS_IN_CI =
  /^(?:process\.platform !== "linux"|(?:missingTool\("\w+"\)|missingPostgres|missingPi) !== null)$/;

export function testsIn(file: string, text: string): readonly TitledTest[] {
  const found: TitledTest[] = [];
  const around: Group[] = [];
  const values = valuesIn(text);
  typescript.parse(text).iterate({
    enter({ name, node }) {
      if (name !== "CallExpression") return;
      while (around.length > 0 && (around.at(-1)?.to ?? 0) <= node.from) around.pop();
      const callee = node.firstChild;
      const said = callee ? text.slice(callee.from, callee.to) : "";
      const title = parseTitle(node, text);
      if (isGroup(said, values))
        around.push({ title, isSkipped: maySkip(said, values), to: node.to });
      if (title === null || !RUNS_A_TEST.test(said)) return;
      const titles = [...around.flatMap((group) => group.title ?? []), title];
      const isSkipped = maySkip(said, values) || around.some((group) => group.isSkipped);
      const manner = isSkipped ? "skipped" : classifyManner(file, said);
      found.push({ file, title: titles.join(" > "), manner });
    },
  });
  return found;
}

/** By name what the file's constants are given. */
type Values = ReadonlyMap<string, string>;

function valuesIn(text: string): Values {
  const given = text.matchAll(/\bconst (\w+) = (?=([^;]*);)/g);
  return new Map([...given].map(([, name = "", value = ""]) => [name, value]));
}

function isGroup(callee: string, values: Values): boolean {
  return /^describe\b/.test(callee) || /\bdescribe\.skip\b/.test(values.get(callee) ?? "");
}

/** Whether CI may pass a test or a group by. A name for either of two, `= missing ? test.skip : test`, counts as skipped. */
function maySkip(callee: string, values: Values): boolean {
  if (NEVER_RUN.test(callee) || /\.skip\b/.test(values.get(callee) ?? "")) return true;
  const [, condition] = CONDITION.exec(callee) ?? [];
  if (condition === undefined) return false;
  const [named = ""] = /^\w+/.exec(condition) ?? [];
  return !HOLDS_IN_CI.test(condition.replace(named, () => values.get(named) ?? named));
}

function classifyManner(file: string, callee: string): TitledTest["manner"] {
  return file.includes(".long.test.") || /^long\w*Test\b/.test(callee) ? "long" : "ordinary";
}

/** Of its first argument; null where that is no text. */
function parseTitle(call: SyntaxNode, text: string): string | null {
  const first = call.getChild("ArgList")?.firstChild?.nextSibling;
  if (first?.name !== "String" && first?.name !== "TemplateString") return null;
  const whole = text.slice(first.from + 1, first.to - 1);
  const plain = whole.split("${")[0] ?? whole;
  return plain.replace(/\\(.)/gs, "$1");
}
