// The last column of docs/lab/requirements.md: which tests show a line, linked by the label and the title that they
// have. docs/requirements.md is a summary of that page, made of the labels.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type TitledTest, testsIn } from "./test-titles.ts";
import { ROOT } from "./words.ts";

export const PAGE = "docs/lab/requirements.md";
export const SUMMARY = "docs/requirements.md";

/** A label that stands alone becomes links to all its tests, if they are as few as that. */
const FEW = 3;
/** So much of a title is written; a link that has another part of its beginning keeps that. */
const TITLE_LENGTH = 85;

/** `[J6](../../packages/e2e/test/…/x.test.ts "J6: how its title begins")`, `[J6](../../…/x.test.ts)` or `J6` alone. */
const REFERENCE = /\[([A-Z]+-?\d+)\]\(\.\.\/\.\.\/([^ )]+)(?: "([^"]*)")?\)|\b([A-Z]+-?\d+)\b/g;
const LAST_CELL = /^(\| .*\| )([^|]*)( \|)$/;

export interface LinkedTest {
  readonly page: string;
  /** What can't be linked, a sentence each. */
  readonly faults: readonly string[];
}

/** The page with each reference as a link to the test that has its label. `tests` are those that are run. */
export function withLinks(page: string, tests: readonly TitledTest[]): LinkedTest {
  const faults: string[] = [];
  const lines = page.split("\n").map((line) => {
    const [, before = "", cell = "", after = ""] = LAST_CELL.exec(line) ?? [];
    if (cell === "shown by" || !REFERENCE.test(cell)) return line;
    const linked = cell.replaceAll(REFERENCE, (found, label, file, title, alone) => {
      const wanted = { label: label ?? alone, file, title };
      const links = linkTests(wanted, tests);
      if (typeof links !== "string") return links.join(", ");
      faults.push(`${before.split("|")[1]?.trim()}: ${links}`);
      return found;
    });
    return `${before}${linked}${after}`;
  });
  return { page: lines.join("\n"), faults };
}

/** The page for the tests of the repository. All their files are read only if those that it names don't settle it. */
export function linkedPage(page: string): LinkedTest {
  const named = [...page.matchAll(REFERENCE)].flatMap(([, , file]) => file ?? []);
  const near = withLinks(page, listTests([...new Set(named)].filter(isThere)));
  return near.page === page && near.faults.length === 0
    ? near
    : withLinks(page, listTests(testFiles()));
}

const SUMMARY_HEAD = `# Requirements

What a session runtime must do, and the labels of the tests that show it: a test has its labels at the beginning of its title (\`J6: …\`), so a search of the tests finds it. \`npm run generate\` writes this page from [the full one](lab/requirements.md), which has for each line the code that does it and a link to each test. A line that no test shows says “open” there.
`;

/** docs/requirements.md, made of the full page: of each section how many lines it has, and their labels. */
export function summaryOf(page: string): string {
  const rows = page
    .split(/^##+ /m)
    .slice(1)
    .map(readSection)
    .map(({ title, rows }) => {
      const anchor = title.toLowerCase().replaceAll(",", "").replaceAll(" ", "-");
      const besides = rows.filter((cells) => cells.at(-1) === "does not apply").length;
      const lines =
        besides === 0 ? `${rows.length}` : `${rows.length}, of which ${besides} do not apply`;
      const labels = labelsIn(rows.map((cells) => cells.at(-1)).join(" "));
      return `| [${title}](lab/requirements.md#${anchor}) | ${lines} | ${labels} |`;
    });
  return `${SUMMARY_HEAD}\n| section | lines | shown by |\n|---|---|---|\n${rows.join("\n")}\n`;
}

/** The cells of each row, without the first and the last bar. */
function readSection(text: string): { title: string; rows: readonly (readonly string[])[] } {
  const [title = "", ...lines] = text.split("\n");
  const rows = lines
    .filter((line) => line.startsWith("| ") && !line.endsWith("| shown by |"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return { title, rows };
}

/** Each label once, in order; three or more in a row as a range. */
function labelsIn(cell = ""): string {
  const labels = [...cell.matchAll(/\[([A-Z]+-?\d+)\]/g)].map(([, label = ""]) => label);
  const ordered = [...new Set(labels)].sort((one, other) =>
    one.localeCompare(other, "en", { numeric: true }),
  );
  return inRanges(ordered).join(", ") || cell;
}

function inRanges(labels: readonly string[]): readonly string[] {
  const runs: string[][] = [];
  for (const label of labels) {
    const last = runs.at(-1);
    if (last !== undefined && label === nextLabel(last.at(-1) ?? "")) last.push(label);
    else runs.push([label]);
  }
  return runs.flatMap((run) => (run.length < 3 ? run : [`${run[0]} to ${run.at(-1)}`]));
}

function nextLabel(label: string): string {
  return label.replace(/\d+$/, (number) => String(Number(number) + 1));
}

interface WantedLink {
  readonly label: string;
  readonly file: string | undefined;
  readonly title: string | undefined;
}

/** A sentence where it can't be said which test is meant. */
function linkTests({ label, file, title }: WantedLink, tests: readonly TitledTest[]) {
  const labelled = tests.filter((one) => hasLabel(one.title, label));
  const [first] = labelled;
  if (first === undefined) return `no test has the label ${label}`;
  const there = labelled.filter((one) => one.file === file);
  // A test that was moved is looked for everywhere.
  const meant = there.length > 0 ? there : labelled;
  const same = meant.find((one) => title !== undefined && one.title.startsWith(title));
  if (same) return [`[${label}](../../${same.file} "${title}")`];
  if (title !== undefined) {
    return [
      linkTo(
        meant.reduce((best, one) => nearer(best, one, title), first),
        label,
      ),
    ];
  }
  if (meant.length > FEW) {
    return `${meant.length} tests have the label ${label}: name one, [${label}](../../FILE "TITLE")`;
  }
  return meant.map((one) => linkTo(one, label));
}

/** A title that was changed has most words still. */
function nearer(best: TitledTest, other: TitledTest, title: string): TitledTest {
  const shared = ({ title: of }: TitledTest) => {
    const words = new Set(of.split(/\W+/));
    return title.split(/\W+/).filter((word) => words.has(word)).length;
  };
  return shared(other) > shared(best) ? other : best;
}

function linkTo({ file, title }: TitledTest, label: string): string {
  const plain = title.split(/["|]/)[0] ?? "";
  return `[${label}](../../${file} "${plain.slice(0, TITLE_LENGTH)}")`;
}

/** The labels before the colon, of a test's own title or one of its groups'. */
export function hasLabel(title: string, label: string): boolean {
  return title.split(" > ").some((part) => {
    const [, labels = ""] = /^([^:"`]*): /.exec(part) ?? [];
    return labels.split(/[ ,()]+/).includes(label);
  });
}

/** The tests of some files that the rings run, but for those of long runs alone. */
function listTests(files: readonly string[]): readonly TitledTest[] {
  return files
    .filter(isRun)
    .flatMap((path) => testsIn(path, readFileSync(join(ROOT, path), "utf8")))
    .filter(({ manner }) => manner === "ordinary");
}

function testFiles(): readonly string[] {
  return ["plugin", "pi", "cli", "e2e"].flatMap((name) =>
    readdirSync(join(ROOT, `packages/${name}/test`), { recursive: true, encoding: "utf8" })
      .map((path) => `packages/${name}/test/${path}`)
      .filter((path) => /\.(?:test|suite)\.tsx?$/.test(path))
      .sort(),
  );
}

function isThere(file: string): boolean {
  return existsSync(join(ROOT, file));
}

/** A suite's tests run in the files that import it. */
function isRun(file: string): boolean {
  if (!file.includes(".suite.")) return true;
  const folder = join(ROOT, dirname(file));
  const name = basename(file);
  return readdirSync(folder).some(
    (other) =>
      other.endsWith(".test.ts") && readFileSync(join(folder, other), "utf8").includes(`./${name}`),
  );
}
