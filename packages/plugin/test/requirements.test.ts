import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

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

const LABEL = /[A-Z]+-?\d+/g;

/** What stands before the colon of a test's title: `"J6, I11: a compaction …"`. */
const TITLE = /["`]([A-Z]+-?\d+(?:, [A-Z]+-?\d+)*)(?: \([^)]*\))?: /g;

function labelsOfTests(): ReadonlySet<string> {
  const labels = new Set<string>();
  for (const name of readdirSync(join(root, "packages"))) {
    const folder = join(root, "packages", name, "test");
    for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      if (!/\.(test|suite)\.ts$/.test(file)) continue;
      for (const [, said = ""] of readFileSync(join(folder, file), "utf8").matchAll(TITLE)) {
        for (const label of said.match(LABEL) ?? []) labels.add(label);
      }
    }
  }
  return labels;
}

const rows = requirements(readFileSync(join(root, "docs/requirements.md"), "utf8"));
const isOpen = ({ shownBy }: Requirement) => /\bopen\b/.test(shownBy);

test("docs/requirements.md has a row for each functional and non-functional requirement", () => {
  const numbered = (kind: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${kind}-${String(index + 1).padStart(2, "0")}`);
  const lines = rows.map(({ line }) => line).filter((line) => /^N?FR-/.test(line));
  expect(lines).toEqual([...numbered("FR", 11), ...numbered("NFR", 4)]);
});

test("each requirement names its tests, or is open", () => {
  const unnamed = rows.filter((row) => !isOpen(row) && !row.shownBy.match(LABEL));
  expect(unnamed).toEqual([]);
});

test("each label that docs/requirements.md names stands in the title of a test", () => {
  const labels = labelsOfTests();
  const missing = rows
    .filter((row) => !isOpen(row))
    .flatMap((row) =>
      (row.shownBy.match(LABEL) ?? [])
        .filter((label) => !labels.has(label))
        .map((label) => `${label}: ${row.line}`),
    );
  expect(missing).toEqual([]);
});

test("each file and folder that docs/requirements.md names exists", () => {
  const named = rows.flatMap(({ line: row, does }) =>
    [...does.matchAll(/`([a-z./-]+(?:\.ts|\/))`/g)].map(([, path = ""]) => ({ row, path })),
  );
  expect(named.length).toBeGreaterThan(50);
  const missing = named.filter(({ path }) => !existsSync(join(root, "packages/plugin/src", path)));
  expect(missing).toEqual([]);
});

test("the open requirements are those that this test lists", () => {
  expect(rows.filter(isOpen).map(({ line }) => line)).toEqual([...OPEN]);
});
