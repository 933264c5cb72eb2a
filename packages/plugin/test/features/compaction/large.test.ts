import { describe, expect, test } from "bun:test";
import { estimateTokens } from "../../../src/ledger/tokens.ts";
import { scratchFolders } from "../../sources/scratch-folder.ts";
import { formFaults } from "./well-formed.ts";
import { buildBrief, type Files, fastestMs, field, writeFiles } from "./workspace.ts";
import { bugFix, refactor, specExecute } from "./workspaces.ts";

const folder = scratchFolders();
const BUDGET = 6000;

describe("speed", () => {
  test("an ordinary workspace takes less than 30 ms", async () => {
    for (const files of [refactor, specExecute, bugFix]) {
      const directory = writeFiles(folder(), files);
      expect(await fastestMs(() => buildBrief(directory), 9)).toBeLessThan(30);
    }
  });

  test("one with 500 artifact folders takes less than 200 ms", async () => {
    const files = Array.from({ length: 500 }, (_, index): Files => {
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
    const directory = writeFiles(folder(), Object.assign({}, refactor, ...files));
    expect(await fastestMs(() => buildBrief(directory), 7)).toBeLessThan(200);
    expect((await buildBrief(directory)).brief.workflow).not.toBeNull();
  });
});

describe("L12: hostile files", () => {
  test("an enormous SESSION.md: what stands at its ends is read, and it takes no time", async () => {
    const filler = "- [x] something was done here\n".repeat(400_000);
    const directory = writeFiles(folder(), {
      "SESSION.md": `**Focus:** the importer\n## Completed\n${filler}## Next Action\nclose the file\n`,
    });
    expect(await fastestMs(() => buildBrief(directory), 6)).toBeLessThan(300);
    const brief = await buildBrief(directory);
    expect(field(brief, "Status")).toEqual(["Active — working on the importer."]);
    expect(field(brief, "Next Action")).toEqual(["close the file"]);
    expect(estimateTokens(brief.text)).toBeLessThanOrEqual(BUDGET);
  });

  for (const [name, text] of [
    ["openings of comments", "<!--".repeat(60_000)],
    ["openings of code", "```\n~~~\n".repeat(30_000)],
    ["brackets", "- [".repeat(80_000)],
    ["emphasis", "*a ".repeat(80_000)],
    ["labels", "a:".repeat(120_000)],
    ["one line of tags", `- [ ] ${"</".repeat(120_000)}`],
    ["dates", "## 2026-01-01\n".repeat(15_000)],
    ["quotations", "> ".repeat(65_000)],
    ["lines that lean on a quotation", `${"> ".repeat(18)}${"a\n".repeat(65_000)}`],
    [
      "bullets ever deeper",
      Array.from({ length: 350 }, (_, at) => `${" ".repeat(2 * at)}- a`).join("\n"),
    ],
    ["lists that change their bullet", "* a\n+ a\n".repeat(16_000)],
    [
      "fences ever shorter, none closed",
      Array.from({ length: 500 }, (_, at) => "`".repeat(503 - at)).join("\n"),
    ],
    ["headings by underline", "a\n-\n".repeat(32_000)],
  ] as const) {
    test(`a file of ${name} alone takes no time`, async () => {
      const directory = writeFiles(folder(), { "SESSION.md": `## Open Work\n${text}` });
      expect(await fastestMs(() => buildBrief(directory), 6)).toBeLessThan(300);
      const { text: brief } = await buildBrief(directory);
      expect(formFaults(brief)).toEqual([]);
    });
  }
});
