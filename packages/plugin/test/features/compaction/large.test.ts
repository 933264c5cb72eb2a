import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { defaultReadBounds } from "../../../src/features/compaction/reader.ts";
import { estimateTokens } from "../../../src/ledger/tokens.ts";
import { threadDisk } from "../../../src/sources/read-file.ts";
import { MOST_FOR_FOURFOLD, timesAsLong } from "../../processor-time.ts";
import { scratchFolders } from "../../sources/scratch-folder.ts";
import { formFaults } from "./well-formed.ts";
import { buildBrief, type Files, field, writeFiles } from "./workspace.ts";
import { bugFix, refactor, specExecute } from "./workspaces.ts";

const folder = scratchFolders();
const BUDGET = 6000;
const cleanups: (() => void)[] = [];
const { open, read } = threadDisk;

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** What is read from now on: the paths that are opened, and the bytes of all of them. */
function watchDisk() {
  const seen = { paths: [] as string[], bytes: 0 };
  const opening = spyOn(threadDisk, "open").mockImplementation((path, flags) => {
    seen.paths.push(path);
    return open(path, flags);
  });
  const reading = spyOn(threadDisk, "read").mockImplementation(async (...asked) => {
    const bytes = await read(...asked);
    seen.bytes += bytes;
    return bytes;
  });
  cleanups.push(
    () => opening.mockRestore(),
    () => reading.mockRestore(),
  );
  return seen;
}

/** A workspace with so many folders of specs and bugs, half of each. */
function withArtifacts(folders: number): string {
  const files = Array.from({ length: folders }, (_, index): Files => {
    const kind = index % 2 === 0 ? "specs" : "bugs";
    const base = `.codex/${kind}/${String(index).padStart(3, "0")}-work`;
    return kind === "specs"
      ? {
          [`${base}/requirements.md`]: "# Requirements\n",
          [`${base}/design.md`]: "# Design\n",
          [`${base}/tasks.md`]: "- [x] one\n- [ ] two\n",
          [`${base}/context.md`]: "# Context\n",
        }
      : { [`${base}/report.md`]: "# Report\n", [`${base}/analysis.md`]: "# Analysis\n" };
  });
  return writeFiles(folder(), Object.assign({}, refactor, ...files));
}

describe("speed", () => {
  test("of an ordinary workspace each file is opened once", async () => {
    for (const files of [refactor, specExecute, bugFix]) {
      const directory = writeFiles(folder(), files);
      const { paths } = watchDisk();
      await buildBrief(directory);
      expect(paths.length).toBeGreaterThan(0);
      expect(paths).toEqual([...new Set(paths)]);
    }
  });

  test("of 500 artifact folders as few files are opened as of 125, in at most eight times the time", async () => {
    const [some, many] = [withArtifacts(125), withArtifacts(500)];
    const ratio = await timesAsLong(
      () => buildBrief(many),
      () => buildBrief(some),
    );
    expect(ratio).toBeLessThan(MOST_FOR_FOURFOLD);
    const opened: number[] = [];
    for (const directory of [some, many]) {
      const { paths } = watchDisk();
      expect((await buildBrief(directory)).brief.workflow).not.toBeNull();
      opened.push(paths.length);
    }
    expect(opened[1]).toBe(opened[0] ?? 0);
  });
});

/** A file's text in about so many bytes. */
type Text = (bytes: number) => string;

const repeated =
  (piece: string): Text =>
  (bytes) =>
    piece.repeat(bytes / piece.length);

/** Lines that each differ from the one before by a character: their bytes are about `perLine` times the square of their number. */
const stepped =
  (perLine: number, line: (at: number, count: number) => string): Text =>
  (bytes) => {
    const count = Math.floor(Math.sqrt(bytes / perLine));
    return Array.from({ length: count }, (_, at) => line(at, count)).join("\n");
  };

/** Nearly as much as is read of one file. */
const WHOLE_BYTES = 130_000;

describe("L12: hostile files", () => {
  test("an enormous SESSION.md: what stands at its ends is read, and nothing else", async () => {
    const filler = "- [x] something was done here\n".repeat(400_000);
    const directory = writeFiles(folder(), {
      "SESSION.md": `**Focus:** the importer\n## Completed\n${filler}## Next Action\nclose the file\n`,
    });
    const seen = watchDisk();
    const brief = await buildBrief(directory);
    expect(seen.bytes).toBeWithin(1, defaultReadBounds.bytesPerFile + 1);
    expect(field(brief, "Status")).toEqual(["Active — working on the importer."]);
    expect(field(brief, "Next Action")).toEqual(["close the file"]);
    expect(estimateTokens(brief.text)).toBeLessThanOrEqual(BUDGET);
  });

  for (const [name, text] of [
    ["openings of comments", repeated("<!--")],
    ["openings of code", repeated("```\n~~~\n")],
    ["brackets", repeated("- [")],
    ["emphasis", repeated("*a ")],
    ["labels", repeated("a:")],
    ["one line of tags", (bytes) => `- [ ] ${"</".repeat(bytes / 2)}`],
    ["dates", repeated("## 2026-01-01\n")],
    ["quotations", repeated("> ")],
    [
      "lines that lean on a quotation",
      (bytes) => `${"> ".repeat(18)}${"a\n".repeat(bytes / 2 - 18)}`,
    ],
    ["bullets ever deeper", stepped(1, (at) => `${" ".repeat(2 * at)}- a`)],
    ["lists that change their bullet", repeated("* a\n+ a\n")],
    ["fences ever shorter, none closed", stepped(0.5, (at, count) => "`".repeat(count + 3 - at))],
    ["headings by underline", repeated("a\n-\n")],
  ] as const satisfies readonly (readonly [string, Text])[]) {
    test(`a file of ${name} alone takes linear time`, async () => {
      const [whole, quarter] = [WHOLE_BYTES, WHOLE_BYTES / 4].map((bytes) =>
        writeFiles(folder(), { "SESSION.md": `## Open Work\n${text(bytes)}` }),
      ) as [string, string];
      const ratio = await timesAsLong(
        () => buildBrief(whole),
        () => buildBrief(quarter),
      );
      expect(ratio).toBeLessThan(MOST_FOR_FOURFOLD);
      const { text: brief } = await buildBrief(whole);
      expect(formFaults(brief)).toEqual([]);
    });
  }
});
