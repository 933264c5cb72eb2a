import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type TitledTest, testsIn } from "./test-titles.ts";

const root = resolve(import.meta.dir, "../../..");

/** Lines of docs/requirements.md that no test shows yet; their last column says "open". */
const OPEN: readonly string[] = [];

interface Requirement {
  readonly line: string;
  /** The code that does it. */
  readonly does: string;
  readonly shownBy: string;
}

/** The rows of every table whose last column is "shown by". */
function requirements(markdown: string): readonly Requirement[] {
  return markdown
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.endsWith("| shown by |"))
    .map((line) => {
      const cells = line.split("|").map((cell) => cell.trim());
      return { line: cells[1] ?? "", does: cells.at(-3) ?? "", shownBy: cells.at(-2) ?? "" };
    });
}

/** In the last column of a conformance line that Pi has no place for; the column before says why. */
const APPLIES_NOT = "does not apply";

/** Of each conformance section that an edge has to do with, how many lines it has. */
const SECTIONS = { A: 23, B: 8, C: 5, D: 9, E: 5, F: 14, G: 10, H: 7, J: 24, K: 7 } as const;

/** `[J6](../packages/e2e/test/…/x.test.ts "J6: how its title begins")`. */
const NAMED = /\[([A-Z]+-?\d+)\]\(\.\.\/([^ )]+) "([^"]+)"\)/g;

interface NamedTest {
  readonly label: string;
  readonly file: string;
  readonly title: string;
}

function namedTests({ shownBy }: Requirement): readonly NamedTest[] {
  return [...shownBy.matchAll(NAMED)].map(([, label = "", file = "", title = ""]) => ({
    label,
    file,
    title,
  }));
}

/** The labels before the colon, of a test's own title or one of its groups'. */
function hasLabel(title: string, label: string): boolean {
  return title.split(" > ").some((part) => {
    const [, labels = ""] = /^([^:"`]*): /.exec(part) ?? [];
    return labels.split(/[ ,()]+/).includes(label);
  });
}

/** Those that `npm test` takes; none where there is no such file. */
function ordinaryTests(file: string): readonly TitledTest[] {
  const path = join(root, file);
  if (!existsSync(path)) return [];
  return testsIn(file, readFileSync(path, "utf8")).filter(({ manner }) => manner === "ordinary");
}

/** A suite's tests run in the files that import it. */
function isRun(file: string): boolean {
  if (!file.includes(".suite.")) return true;
  const name = basename(file);
  const folder = dirname(join(root, file));
  return readdirSync(folder).some(
    (other) =>
      other.endsWith(".test.ts") && readFileSync(join(folder, other), "utf8").includes(`./${name}`),
  );
}

const rows = requirements(readFileSync(join(root, "docs/requirements.md"), "utf8"));
const conformance = rows.filter(({ line }) => /^[A-K]\d+: /.test(line));
const isOpen = ({ shownBy }: Requirement) => shownBy === "open";

test("docs/requirements.md has a row for each functional and non-functional requirement", () => {
  const numbered = (kind: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${kind}-${String(index + 1).padStart(2, "0")}`);
  const lines = rows.map(({ line }) => line).filter((line) => /^N?FR-/.test(line));
  expect(lines).toEqual([...numbered("FR", 11), ...numbered("NFR", 4)]);
});

test("each requirement names its tests, or is open", () => {
  const shown = rows.filter((row) => row.shownBy !== APPLIES_NOT || !conformance.includes(row));
  const unnamed = shown.filter((row) => !isOpen(row) && namedTests(row).length === 0);
  expect(unnamed).toEqual([]);
  // Nothing but such links: a label alone shows nothing.
  const others = shown.filter((row) => !isOpen(row) && /\w/.test(row.shownBy.replace(NAMED, "")));
  expect(others.map(({ line, shownBy }) => `${line}: ${shownBy}`)).toEqual([]);
});

test("each conformance line of sections A to K says what shows it on Pi, or why it does not apply", () => {
  const lines = Object.entries(SECTIONS).flatMap(([letter, count]) =>
    Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
  );
  expect(conformance.map(({ line }) => line.split(":")[0])).toEqual(lines);
  const unexplained = conformance.filter(
    ({ does, shownBy }) => shownBy === APPLIES_NOT && does.split(" ").length < 4,
  );
  expect(unexplained).toEqual([]);
  // What is said to be on the real Pi is: its tests are in that folder.
  const elsewhere = conformance.filter(
    (row) =>
      row.does.includes("the real Pi") &&
      !namedTests(row).some(({ file }) => file.startsWith("packages/e2e/test/pi/")),
  );
  expect(elsewhere).toEqual([]);
});

test("each test that docs/requirements.md names stands in its file, with its label, and is taken by npm test", () => {
  const named = new Set(rows.flatMap((row) => namedTests(row).map(({ file }) => file)));
  const taken = new Map([...named].map((file) => [file, ordinaryTests(file)] as const));
  const missing = rows.flatMap((row) =>
    namedTests(row)
      .filter(
        ({ label, file, title }) =>
          !isRun(file) ||
          !taken
            .get(file)
            ?.some((one) => one.title.startsWith(title) && hasLabel(one.title, label)),
      )
      .map(({ label, file, title }) => `${row.line}: ${label}, ${file}: ${title}`),
  );
  expect(missing).toEqual([]);
});

describe("the titles of tests", () => {
  const file = "packages/plugin/test/x.test.ts";

  test("are read from calls: what a comment says, and what is skipped, shows nothing", () => {
    const text = `
      // test("A1: in a comment", () => {});
      describe("A2: a group", () => {
        test.skip("skipped", () => {});
        longTest("long", () => {});
        drivenTest(\`to \${where}\`, () => {});
      });
      test("A3: after it", () => {});
      describe.skip("a skipped group", () => {
        describe("A4: of it", () => {
          test("too", () => {});
        });
      });
      test.skipIf(true)("A5: always skipped", () => {});
    `;
    expect(testsIn(file, text)).toEqual([
      { file, title: "A2: a group > skipped", manner: "skipped" },
      { file, title: "A2: a group > long", manner: "long" },
      { file, title: "A2: a group > to ", manner: "ordinary" },
      { file, title: "A3: after it", manner: "ordinary" },
      { file, title: "a skipped group > A4: of it > too", manner: "skipped" },
      { file, title: "A5: always skipped", manner: "skipped" },
    ]);
  });

  test("count under a condition where it names a tool or a platform that CI has, and nowhere else", () => {
    const text = `
      const missing = missingTool("tmux");
      const other = Bun.which("fish") === null ? "needs fish" : missingTool("tmux");
      const clockTest = library === undefined ? test.skip : test;
      describe.skipIf(missing !== null)("A6: a tool", () => {
        test.skipIf(process.platform !== "linux")("of Linux", () => {});
        test.skipIf(!existsSync(path))("with a file", () => {});
      });
      describe.skipIf(missingPostgres !== null)(title, () => {
        test("A7: with a server", () => {});
      });
      describe.skipIf(other !== null)(title, () => {
        test("A8: in a shell", () => {});
      });
      test.skipIf(missingTool("chromium") !== null)("A9: in a browser", () => {});
      test.skipIf(missing)("A10: what may be anything", () => {});
      test.skipIf(missing === null)("A11: only without the tool", () => {});
      test.if(process.platform === "darwin")("A12: of another platform", () => {});
      clockTest("A13: at another time", () => {});
      const inShell = fish ? describe : describe.skip;
      inShell(title, () => {
        test("A14: in a shell that is named otherwise", () => {});
      });
    `;
    const manners = testsIn(file, text).map(({ title, manner }) => [title, manner]);
    expect(manners).toEqual([
      ["A6: a tool > of Linux", "ordinary"],
      ["A6: a tool > with a file", "skipped"],
      ["A7: with a server", "ordinary"],
      ["A8: in a shell", "skipped"],
      ["A9: in a browser", "ordinary"],
      ["A10: what may be anything", "skipped"],
      ["A11: only without the tool", "skipped"],
      ["A12: of another platform", "skipped"],
      ["A13: at another time", "skipped"],
      ["A14: in a shell that is named otherwise", "skipped"],
    ]);
  });

  test("have labels of their own and of their groups", () => {
    expect(hasLabel("A2, I3: a group > x", "I3")).toBeTrue();
    expect(hasLabel("a group > J1 (x): y", "J1")).toBeTrue();
    expect(hasLabel("what I3 says", "I3")).toBeFalse();
  });
});

test("each file and folder that docs/requirements.md names exists", () => {
  const named = rows.flatMap(({ line: row, does }) =>
    [...does.matchAll(/`([a-z./-]+(?:\.ts|\/))`/g)].map(([, path = ""]) => ({ row, path })),
  );
  expect(named.length).toBeGreaterThan(50);
  const at = (path: string) =>
    path.startsWith("packages/") ? path : `packages/plugin/src/${path}`;
  const missing = named.filter(({ path }) => !existsSync(join(root, at(path))));
  expect(missing).toEqual([]);
});

test("the open requirements are those that this test lists", () => {
  expect(rows.filter(isOpen).map(({ line }) => line)).toEqual([...OPEN]);
});
