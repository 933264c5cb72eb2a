import { describe, expect, test } from "bun:test";
import { type Brief, NONE_RECORDED, renderBrief } from "../../../src/features/compaction/brief.ts";
import { renderBriefReport } from "../../../src/features/compaction/make-brief.ts";
import { briefRecord, session } from "../../storage/records.ts";

const essentials = { stage: null, step: null, nextAction: null, gate: null };
const carried = { objective: null, decisions: [] };

test("says that briefs are switched off, that there was none yet, and which stage is recognised", async () => {
  const off = "Session Runtime: continuity.enabled is false, so compactions get no brief.";
  expect(await renderBriefReport(null, session)).toEqual({ text: off, summary: off });
  for (const [stage, at] of [
    [null, "no workflow recognised"],
    ["bug-fix", "in bug-fix"],
  ] as const) {
    const brief: Brief = {
      ...{ source: "session", generic: [], workflow: null },
      ...{ essentials: { ...essentials, stage }, carried },
    };
    const made = { brief, text: "The brief.", outside: [] };
    const report = await renderBriefReport(
      { preview: async () => ({ made, last: null }) },
      session,
    );
    expect(report.text).toBe(
      `Session Runtime: a compaction now would get this brief (about 3 tokens, ${at}). No compaction of this session has had a brief yet.\n\nThe brief.`,
    );
    expect(report.summary).toBe(`a compaction now would get a brief of about 3 tokens, ${at}.`);
  }
});

describe("a brief's text", () => {
  const section = (heading: "Status" | "Completed", ...lines: readonly string[]) => ({
    ...{ heading, lines, omitted: 0 },
  });
  const text = (source: Brief["source"], ...generic: Brief["generic"]) =>
    renderBrief({ source, generic, workflow: null, essentials, carried });
  const none = section("Completed", NONE_RECORDED);

  test("leaves out of an ordinary session what nothing is known of, unless that is all", () => {
    expect(text("session", section("Status", "x"), none)).not.toContain("Completed");
    expect(text("session", none)).toContain("## Completed\n- none recorded");
    expect(text("files", section("Status", "x"), none)).toContain("## Completed\n- none recorded");
  });

  test("says how many lines were left out", () => {
    const shown = text("files", { ...section("Status", "x"), omitted: 2 });
    expect(shown).toEndWith("## Status\n- x\n- (2 more left out for length)");
  });
});

test("gives figures with their separators, and the last brief's age instead of a moment in UTC", async () => {
  const text = "word ".repeat(6_000);
  const { essentials, carried } = briefRecord("msg_1");
  const brief = { source: "session", generic: [], workflow: null, essentials, carried } as const;
  const last = { seq: 1, ...briefRecord("msg_1"), text, madeAtMs: Date.now() - 3 * 60_000 };
  const made = { brief, text, outside: [] };
  const report = await renderBriefReport({ preview: async () => ({ made, last }) }, session);
  const [intro = ""] = report.text.split("\n\n");
  expect(intro).toMatch(/about \d,\d{3} tokens, 3 min ago\./);
  expect(`${intro} ${report.summary}`).not.toMatch(/\d{4}|T\d\d:/);
});
