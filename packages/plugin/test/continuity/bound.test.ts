import { describe, expect, test } from "bun:test";
import { boundBrief } from "../../src/continuity/bound.ts";
import type { Section } from "../../src/continuity/brief.ts";
import { renderBrief } from "../../src/continuity/brief.ts";
import { estimateTokens } from "../../src/projection/tokens.ts";
import { scratchFolders } from "../sources/scratch-folder.ts";
import { briefOf, field, writeFiles } from "./workspace.ts";
import { specExecute } from "./workspaces.ts";

const folder = scratchFolders();

const many = (count: number, text: string) =>
  Array.from(
    { length: count },
    (_, index) => `- ${text} ${index + 1} ${"of much to say".repeat(4)}`,
  ).join("\n");

const full = {
  ...specExecute,
  "SESSION.md": `Stage: spec-execute, 001-prd-compaction
## Decisions
${many(80, "decided")}
## Open Work
${many(80, "to do")}
## Completed
${many(80, "done")}
## Blockers
${many(80, "hindered")}
`,
};

describe("bounding", () => {
  test("6,000 tokens by default, and what remains says how much is missing", async () => {
    const { text } = await briefOf(writeFiles(folder(), full));
    expect(estimateTokens(text)).toBeLessThanOrEqual(6000);
    expect(estimateTokens(text)).toBeGreaterThan(5500);
    expect(text).toMatch(/- \(\d+ more left out for length\)/);
  });

  test("the least useful lines go first: blockers outlast what is completed", async () => {
    const brief = await briefOf(writeFiles(folder(), full));
    const left = (heading: "Blockers / Risks" | "Completed") => field(brief, heading)?.length ?? 0;
    expect(left("Blockers / Risks")).toBeGreaterThan(left("Completed"));
  });

  test("of a list the first lines stay, of what is completed the newest", async () => {
    const brief = await briefOf(writeFiles(folder(), full), { budgetTokens: 3000 });
    expect(field(brief, "Blockers / Risks")?.[0]).toContain("hindered 1 ");
    expect(field(brief, "Completed")?.at(-1)).toContain("done 80 ");
  });

  test("stage, step, gate and next action stay whole in the smallest budget", async () => {
    const whole = await briefOf(writeFiles(folder(), full));
    const small = await briefOf(writeFiles(folder(), full), { budgetTokens: 1500 });
    expect(estimateTokens(small.text)).toBeLessThanOrEqual(1500);
    for (const heading of ["Canonical Workflow Stage", "Current Step", "Next Action"] as const) {
      expect(field(small, heading)).toEqual(field(whole, heading));
    }
    expect(small.brief.essentials).toEqual(whole.brief.essentials);
  });

  test("the last resort: where one line of each field is too much, lines are cut, the stage never", async () => {
    const { brief } = await briefOf(writeFiles(folder(), specExecute));
    const long = (section: Section) =>
      section.heading === "Canonical Workflow Stage"
        ? section
        : { ...section, lines: ["表".repeat(390)] };
    const whole = {
      ...brief,
      generic: brief.generic.map(long),
      workflow: brief.workflow?.map(long) ?? null,
    };
    for (const [budgetTokens, units] of [
      [4500, 200],
      [2500, 100],
      [1500, 50],
      [900, 24],
    ] as const) {
      const bounded = boundBrief(whole, budgetTokens);
      const text = renderBrief(bounded);
      expect(estimateTokens(text)).toBeLessThanOrEqual(budgetTokens);
      const lines = bounded.generic.flatMap((section) => section.lines);
      expect(new Set(lines)).toEqual(new Set([`${"表".repeat(units - 1)}…`]));
      expect(text).toContain("## Canonical Workflow Stage\n- spec-execute\n");
    }
  });

  test("a brief within the budget is left as it is", async () => {
    const brief = await briefOf(writeFiles(folder(), specExecute));
    expect(brief.text).not.toContain("left out for length");
  });
});
