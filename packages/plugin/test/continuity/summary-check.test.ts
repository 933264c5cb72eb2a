import { describe, expect, test } from "bun:test";
import { missingFrom } from "../../src/continuity/summary-check.ts";
import { scratchFolders } from "../sources/scratch-folder.ts";
import { briefOf, writeFiles } from "./workspace.ts";
import { bugFix, specExecute } from "./workspaces.ts";

const folder = scratchFolders();

describe("the check of a summary", async () => {
  const spec = await briefOf(writeFiles(folder(), specExecute));
  const bug = await briefOf(writeFiles(folder(), bugFix));

  test("finds everything in a summary that repeats the brief", () => {
    for (const { brief, text } of [spec, bug]) {
      expect(missingFrom(brief.essentials, text)).toBeNull();
      const { stage, step, nextAction, gate } = brief.essentials;
      const own = `We are in \`${stage}\`.\n${nextAction}\nNow: ${step}\nGate: ${gate}`;
      expect(missingFrom(brief.essentials, own)).toBeNull();
    }
  });

  test("lets a summary put step, action and gate in its own words", () => {
    const summary = `The work 001-prd-compaction is in spec-execute. Resuming with task 2, building
      the continuation context of batch 1 (foundation): that is the current implementation lane to
      continue. A batch counts when the declared task gates pass (.codex/scripts/harness.sh spec gate,
      by spec name and task id), its validation has passed, feedback of /review is addressed and
      context.md is updated; it stops after the commit.`;
    expect(missingFrom(spec.brief.essentials, summary)).toBeNull();
  });

  test("misses a stage that is paraphrased, and that alone", () => {
    const summary = spec.text.replaceAll("spec-execute", "the execution phase");
    expect(missingFrom(spec.brief.essentials, summary)).toEqual({
      stage: "spec-execute",
      step: null,
      nextAction: null,
      gate: null,
    });
  });

  test("does not take a longer name for the stage", () => {
    const { stage } = missingFrom(bug.brief.essentials, "bug-fixes, my-bug-fix") ?? {};
    expect(stage).toBe("bug-fix");
  });

  test("misses everything in a summary that speaks of other things", () => {
    const summary = "The user and the assistant talked about the weather in Lisbon.";
    expect(missingFrom(spec.brief.essentials, summary)).toEqual(spec.brief.essentials);
    expect(missingFrom(spec.brief.essentials, "")).toEqual(spec.brief.essentials);
  });

  test("asks for nothing where nothing was known", () => {
    const nothing = { stage: null, step: null, nextAction: null, gate: null };
    expect(missingFrom(nothing, "")).toBeNull();
  });

  test("reads languages that set no spaces", () => {
    const essentials = {
      stage: null,
      step: "検証ユーティリティを移行する",
      nextAction: null,
      gate: null,
    };
    expect(missingFrom(essentials, "次に検証ユーティリティの移行をする。")).toBeNull();
    expect(missingFrom(essentials, "天気の話をした。")).toEqual(essentials);
  });
});
