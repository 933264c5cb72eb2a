import { describe, expect, test } from "bun:test";
import { absent } from "../../../src/context/source.ts";
import {
  createContinuitySource,
  findMissingEssentials,
} from "../../../src/features/compaction/summary-check.ts";
import { scratchFolders } from "../../sources/scratch-folder.ts";
import { buildBrief, writeFiles } from "./workspace.ts";
import { bugFix, specExecute } from "./workspaces.ts";

const folder = scratchFolders();

describe("the check of a summary", async () => {
  const spec = await buildBrief(writeFiles(folder(), specExecute));
  const bug = await buildBrief(writeFiles(folder(), bugFix));

  test("finds everything in a summary that repeats the brief", () => {
    for (const { brief, text } of [spec, bug]) {
      expect(findMissingEssentials(brief.essentials, text)).toBeNull();
      const { stage, step, nextAction, gate } = brief.essentials;
      const own = `We are in \`${stage}\`.\n${nextAction}\nNow: ${step}\nGate: ${gate}`;
      expect(findMissingEssentials(brief.essentials, own)).toBeNull();
    }
  });

  test("lets a summary put step, action and gate in its own words", () => {
    const summary = `The work 001-prd-compaction is in spec-execute. Resuming with task 2, building
      the continuation context of batch 1 (foundation): that is the current implementation lane to
      continue. A batch counts when the declared task gates pass (.codex/scripts/harness.sh spec gate,
      by spec name and task id), its validation has passed, feedback of /review is addressed and
      context.md is updated; it stops after the commit.`;
    expect(findMissingEssentials(spec.brief.essentials, summary)).toBeNull();
  });

  test("misses a stage that is paraphrased, and that alone", () => {
    const summary = spec.text.replaceAll("spec-execute", "the execution phase");
    expect(findMissingEssentials(spec.brief.essentials, summary)).toEqual({
      stage: "spec-execute",
      step: null,
      nextAction: null,
      gate: null,
    });
  });

  test("does not take a longer name for the stage", () => {
    const { stage } = findMissingEssentials(bug.brief.essentials, "bug-fixes, my-bug-fix") ?? {};
    expect(stage).toBe("bug-fix");
  });

  test("misses everything in a summary that speaks of other things", () => {
    const summary = "The user and the assistant talked about the weather in Lisbon.";
    expect(findMissingEssentials(spec.brief.essentials, summary)).toEqual(spec.brief.essentials);
    expect(findMissingEssentials(spec.brief.essentials, "")).toEqual(spec.brief.essentials);
  });

  const lines: readonly (readonly [string, string, string, "kept" | "lost"])[] = [
    ["of short words is looked for as it stands", "do  it now", "we do it now.", "kept"],
    ["of short words that the summary has apart", "do it now", "do now it", "lost"],
    [
      "with three of five of its words",
      "alpha bravo delta gamma omega",
      "alpha bravo delta",
      "kept",
    ],
    ["with two of five of its words", "alpha bravo delta gamma omega", "alpha bravo", "lost"],
    ["by its letters alone", "banana", "ba na", "lost"],
    ["by the stem of its word", "migrating", "the migration", "kept"],
    ["by another word with the same beginning", "migrating", "migrants", "lost"],
    ["by its numbers, in any order", "12 34", "34 and 12", "kept"],
    ["by its words that carry meaning", "which tests with lint", "test lint", "kept"],
    ["by its longer words", "go to lint it by me", "lint", "kept"],
    ["by pairs of signs, without spaces", "検証用", "検証", "kept"],
    ["by single signs, without spaces", "検証移行", "証検行移", "lost"],
    ["of one sign", "検", "検", "kept"],
  ];
  test.each(lines)("takes a line %s: %j in %j is %s", (_what, step, summary, outcome) => {
    const missing = findMissingEssentials(
      { stage: null, step, nextAction: null, gate: null },
      summary,
    );
    expect(missing?.step ?? null).toBe(outcome === "kept" ? null : step);
  });

  test("is told again in full where another part is lost", () => {
    const source = createContinuitySource(() => absent);
    const lost = { compactionId: "m", stage: "spec-execute", step: null, nextAction: null };
    const now = { ...lost, gate: "Tests pass." };
    expect(source.update({ ...lost, gate: null }, now)).toBe(source.baseline(now));
    expect(source.baseline(now)).toBe(
      "When the conversation was compacted, the work stood as follows; its summary leaves this out:\n- Canonical Workflow Stage: spec-execute\n- Transition Gate: Tests pass.\nWhat has been said since the compaction goes before it.",
    );
  });

  test("misses nothing of a stage where there is none, though a line is lost", () => {
    const nothing = { stage: null, step: null, nextAction: null, gate: null };
    const lost = { ...nothing, gate: "The tests pass." };
    expect(findMissingEssentials(lost, "null")).toEqual(lost);
    expect(findMissingEssentials({ ...nothing, step: "do it" }, " do it")).toBeNull();
    expect(findMissingEssentials({ ...nothing, step: " do it " }, "do it")).toBeNull();
  });

  test("asks for nothing where nothing was known", () => {
    const nothing = { stage: null, step: null, nextAction: null, gate: null };
    expect(findMissingEssentials(nothing, "")).toBeNull();
  });

  test("reads languages that set no spaces", () => {
    const essentials = {
      stage: null,
      step: "検証ユーティリティを移行する",
      nextAction: null,
      gate: null,
    };
    expect(findMissingEssentials(essentials, "次に検証ユーティリティの移行をする。")).toBeNull();
    expect(findMissingEssentials(essentials, "天気の話をした。")).toEqual(essentials);
  });
});
