import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasLabel, linkedPage, PAGE, SUMMARY, summaryOf, withLinks } from "./requirement-links.ts";
import { testsIn } from "./test-titles.ts";
import { ROOT } from "./words.ts";

/** Lines of docs/lab/requirements.md that no test shows yet; their last column says "open". */
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

/** `[J6](../../packages/e2e/test/…/x.test.ts "J6: how its title begins")`. */
const NAMED = /\[([A-Z]+-?\d+)\]\(\.\.\/\.\.\/([^ )]+) "([^"]+)"\)/g;

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

const page = readFileSync(join(ROOT, PAGE), "utf8");
const rows = requirements(page);
const conformance = rows.filter(({ line }) => /^[A-K]\d+: /.test(line));
const isOpen = ({ shownBy }: Requirement) => shownBy === "open";

test("docs/lab/requirements.md has a row for each functional and non-functional requirement", () => {
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

test("docs/lab/requirements.md is what `npm run generate` writes: each test that it links stands in its file, with its label, and is run", () => {
  const { page: written, faults } = linkedPage(page);
  expect(faults).toEqual([]);
  expect(page === written ? "up to date" : "out of date: run `npm run generate`").toBe(
    "up to date",
  );
});

test("docs/requirements.md is the summary of the full page that `npm run generate` writes", () => {
  const summary = readFileSync(join(ROOT, SUMMARY), "utf8");
  expect(summary === summaryOf(page) ? "up to date" : "out of date: run `npm run generate`").toBe(
    "up to date",
  );
});

test("the summary has a row for each section, with each label once", () => {
  const full = `# Full

## Constraints

| constraint | what does it here | shown by |
|---|---|---|
| a rule | \`x.ts\` | [B2](../../b.test.ts "B2: two"), [B10](../../b.test.ts "B10: ten"), [B2](../../c.test.ts "B2: c") |

## On Pi

| line | on Pi | shown by |
|---|---|---|
| A1: one | the kernel | [A1](../../a.test.ts "A1: one"), [A3](../../a.test.ts "A3: three") |
| A2: two | it has none of that | does not apply |
| A4: four | the kernel | [A4](../../a.test.ts "A4: four"), [A5](../../a.test.ts "A5: five") |
`;
  const lines = summaryOf(full).split("\n");
  expect(lines).toContain("| [Constraints](lab/requirements.md#constraints) | 1 | B2, B10 |");
  expect(lines).toContain(
    "| [On Pi](lab/requirements.md#on-pi) | 3, of which 1 do not apply | A1, A3 to A5 |",
  );
});

describe("the links of a line", () => {
  const ran = (file: string, title: string) => ({ file, title, manner: "ordinary" }) as const;
  const tests = [
    ran("a.test.ts", "A1: one"),
    ran("a.test.ts", "A2, A3: a prompt that waits is sent once"),
    ran("b.test.ts", "a group > A2: another"),
    ran("c.test.ts", 'A4: says "yes" | no'),
    ...["d", "e", "f", "g"].map((name) => ran(`${name}.test.ts`, "A5: many")),
  ];
  const row = (cell: string) => `| A line with A1 | its code | ${cell} |`;
  const written = (cell: string) => withLinks(row(cell), tests);

  test.each([
    ["A1", '[A1](../../a.test.ts "A1: one")'],
    [
      "A2",
      '[A2](../../a.test.ts "A2, A3: a prompt that waits is sent once"), [A2](../../b.test.ts "a group > A2: another")',
    ],
    ["[A2](../../b.test.ts)", '[A2](../../b.test.ts "a group > A2: another")'],
    ["A4", '[A4](../../c.test.ts "A4: says ")'],
    ['[A2](../../a.test.ts "A2, A3: a prompt")', '[A2](../../a.test.ts "A2, A3: a prompt")'],
    [
      '[A2](../../a.test.ts "A2: a prompt that waits is sent a single time"), A1',
      '[A2](../../a.test.ts "A2, A3: a prompt that waits is sent once"), [A1](../../a.test.ts "A1: one")',
    ],
    ['[A1](../../gone.test.ts "A1: one")', '[A1](../../a.test.ts "A1: one")'],
    ["does not apply", "does not apply"],
    ["open", "open"],
  ])("%s is written as %s, and stays so", (cell, as) => {
    expect(written(cell)).toEqual({ page: row(as), faults: [] });
    expect(written(as)).toEqual({ page: row(as), faults: [] });
  });

  test("a label that no test has, or more than three, is a fault that names the line", () => {
    expect(written("B1, A5")).toEqual({
      page: row("B1, A5"),
      faults: [
        "A line with A1: no test has the label B1",
        'A line with A1: 4 tests have the label A5: name one, [A5](../../FILE "TITLE")',
      ],
    });
  });
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

test("each file and folder that docs/lab/requirements.md names exists", () => {
  const named = rows.flatMap(({ line: row, does }) =>
    [...does.matchAll(/`([a-z./-]+(?:\.ts|\/))`/g)].map(([, path = ""]) => ({ row, path })),
  );
  expect(named.length).toBeGreaterThan(50);
  const at = (path: string) =>
    path.startsWith("packages/") ? path : `packages/plugin/src/${path}`;
  const missing = named.filter(({ path }) => !existsSync(join(ROOT, at(path))));
  expect(missing).toEqual([]);
});

test("the open requirements are those that this test lists", () => {
  expect(rows.filter(isOpen).map(({ line }) => line)).toEqual([...OPEN]);
});
