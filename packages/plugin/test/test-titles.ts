// The titles of a file's tests, as its source says them: what a comment says is no test.
import { parser } from "@lezer/javascript";

/** `long`: only `npm run test:long` takes it. */
export interface TitledTest {
  /** From the repository's root. */
  readonly file: string;
  /** With those of its groups before it; each up to the first value that is put in. */
  readonly title: string;
  readonly manner: "ordinary" | "long" | "skipped";
}

type SyntaxNode = ReturnType<typeof parser.parse>["topNode"];

const typescript = parser.configure({ dialect: "ts jsx" });
/** Whatever runs a test here is named so. */
const RUNS_A_TEST = /^(?:test|\w+Test)\b/;
/** On every machine; what one machine lacks is a condition. */
const SKIPPED = /^\w+\.(?:(?:skip|todo|failing)\b|skipIf\(true\)|todoIf\(true\)|if\(false\))/;

export function testsIn(file: string, text: string): readonly TitledTest[] {
  const found: TitledTest[] = [];
  const around: { readonly title: string; readonly isSkipped: boolean; readonly to: number }[] = [];
  typescript.parse(text).iterate({
    enter({ name, node }) {
      if (name !== "CallExpression") return;
      while (around.length > 0 && (around.at(-1)?.to ?? 0) <= node.from) around.pop();
      const callee = node.firstChild;
      const said = callee ? text.slice(callee.from, callee.to) : "";
      const title = titleOf(node, text);
      if (title === null) return;
      if (/^describe\b/.test(said))
        around.push({ title, isSkipped: SKIPPED.test(said), to: node.to });
      if (!RUNS_A_TEST.test(said)) return;
      const titles = [...around.map((group) => group.title), title];
      const isSkipped = SKIPPED.test(said) || around.some((group) => group.isSkipped);
      const manner = isSkipped ? "skipped" : mannerOf(file, said);
      found.push({ file, title: titles.join(" > "), manner });
    },
  });
  return found;
}

function mannerOf(file: string, callee: string): TitledTest["manner"] {
  return file.includes(".long.test.") || /^long\w*Test\b/.test(callee) ? "long" : "ordinary";
}

/** Of its first argument; null where that is no text. */
function titleOf(call: SyntaxNode, text: string): string | null {
  const first = call.getChild("ArgList")?.firstChild?.nextSibling;
  if (first?.name !== "String" && first?.name !== "TemplateString") return null;
  const whole = text.slice(first.from + 1, first.to - 1);
  const plain = whole.split("${")[0] ?? whole;
  return plain.replace(/\\(.)/gs, "$1");
}
