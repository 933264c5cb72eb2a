import { describe, expect, test } from "bun:test";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { parseMarkdownLines } from "../../../src/features/compaction/markdown.ts";
import { findStageHint } from "../../../src/features/compaction/recognise.ts";
import { builtInWorkflows, type Workflow } from "../../../src/features/compaction/workflows.ts";
import { scratchFolders } from "../../sources/scratch-folder.ts";
import { buildBrief, type Files, field, noFacts, writeFiles } from "./workspace.ts";

const folder = scratchFolders();
const made = (files: Files) => buildBrief(writeFiles(folder(), files));
const hint = (session: string, agents = "") =>
  findStageHint(parseMarkdownLines(session), parseMarkdownLines(agents), builtInWorkflows)?.stage
    .name ?? null;

describe("L13: the stage that words name", () => {
  test("is the one of the latest mention", () => {
    expect(hint("spec-design is approved.\nNow in `spec-tasks`.")).toBe("spec-tasks");
    expect(hint("bug-fix, then /bug-verify")).toBe("bug-verify");
  });

  test("is the newest part's in a log that begins with it", () => {
    expect(hint("## 2026-02-02\nspec-execute\n## 2026-02-01\nspec-design\n")).toBe("spec-execute");
  });

  test("is looked for in AGENTS.md where SESSION.md names none", () => {
    expect(hint("", "This branch is in bug-analyze.")).toBe("bug-analyze");
    expect(hint("In bug-fix.", "This branch is in bug-analyze.")).toBe("bug-fix");
  });

  test("is none where the workflow is merely described", () => {
    expect(hint("spec-create -> spec-design -> spec-tasks -> spec-execute")).toBeNull();
    expect(hint("", "- spec-create: …\n- spec-design: …\n- spec-tasks: …\n")).toBeNull();
  });

  test("is a word of its own", () => {
    expect(hint("respec-create, spec-designs, my-bug-fix, bug-fixes, spec_create")).toBeNull();
    expect(hint("Stage: SPEC-EXECUTE.")).toBe("spec-execute");
  });
});

const SPEC = (name: string, ...files: readonly string[]): Files =>
  Object.fromEntries(files.map((file) => [`.codex/specs/${name}/${file}`, "# A page\n"]));

describe("L14: without a word the artifacts tell the stage", () => {
  const recogniseStage = async (files: Files) =>
    field(await made(files), "Canonical Workflow Stage");

  test("by the last one there is", async () => {
    expect(await recogniseStage(SPEC("a", "requirements.md"))).toEqual(["spec-create"]);
    expect(await recogniseStage(SPEC("a", "requirements.md", "design.md"))).toEqual([
      "spec-design",
    ]);
    expect(await recogniseStage(SPEC("a", "design.md", "tasks.md"))).toEqual(["spec-tasks"]);
    expect(await recogniseStage(SPEC("a", "tasks.md", "context.md"))).toEqual(["spec-execute"]);
  });

  test("and what it says of its approval, or of tasks that are done", async () => {
    const path = ".codex/specs/a/";
    expect(await recogniseStage({ [`${path}requirements.md`]: "Status: approved\n" })).toEqual([
      "spec-design",
    ]);
    expect(await recogniseStage({ [`${path}design.md`]: "- [x] Approved by Ana\n" })).toEqual([
      "spec-tasks",
    ]);
    expect(await recogniseStage({ [`${path}tasks.md`]: "- [x] one\n- [ ] two\n" })).toEqual([
      "spec-execute",
    ]);
  });

  test("and the notes of a bug's progress", async () => {
    const bug = ".codex/bugs/b/harness/progress.md";
    expect(await recogniseStage({ [bug]: "- fix is in; on to bug-verify\n" })).toEqual([
      "bug-verify",
    ]);
  });
});

describe("L14: of several pieces of work", () => {
  const two = { ...SPEC("001-old", "requirements.md"), ...SPEC("002-new", "requirements.md") };
  const source = async (files: Files) => field(await made(files), "Source Artifacts")?.[0];

  test("the one that SESSION.md names last is meant", async () => {
    const named = { ...two, "SESSION.md": "After 002-new back to 001-old, in spec-create.\n" };
    expect(await source(named)).toContain("001-old");
  });

  test("else the one whose files the session touched", async () => {
    const files = [{ path: ".codex/specs/001-old/requirements.md", touch: "edited" }] as const;
    const directory = writeFiles(folder(), two);
    const brief = await buildBrief(directory, { facts: { ...noFacts, files } });
    expect(field(brief, "Source Artifacts")?.[0]).toContain("001-old");
  });

  test("else the one that changed last", async () => {
    const directory = writeFiles(folder(), two);
    const old = new Date("2026-01-01");
    utimesSync(join(directory, ".codex/specs/002-new/requirements.md"), old, old);
    expect(field(await buildBrief(directory), "Source Artifacts")?.[0]).toContain("001-old");
  });

  test("and the later name where nothing else tells them apart", async () => {
    expect(await source(two)).toContain("002-new");
  });

  test("one that is over is not taken up again", async () => {
    const over = { ".codex/specs/003-over/tasks.md": "- [x] one\n- [x] two\n" };
    expect(await source({ ...two, ...over })).toContain("002-new");
    expect((await made(over)).brief.workflow).toBeNull();
    const named = { ...over, "SESSION.md": "Wrap up 003-over.\n" };
    expect(await source(named)).toContain("003-over");
  });
});

describe("words and artifacts that disagree", () => {
  test("a stage without a folder is recognised, and says what it knows", async () => {
    const brief = await made({ "SESSION.md": "Stage: spec-create\n" });
    expect(field(brief, "Canonical Workflow Stage")).toEqual(["spec-create"]);
    expect(field(brief, "Source Artifacts")).toBeNull();
    expect(field(brief, "Transition Gate")).toHaveLength(1);
  });

  test("AGENTS.md alone makes no workflow", async () => {
    const { brief } = await made({ "AGENTS.md": "Begin every feature with spec-create.\n" });
    expect(brief.workflow).toBeNull();
  });

  test("what should be there before the named stage is told as missing", async () => {
    const brief = await made({
      ...SPEC("a-1", "requirements.md", "tasks.md"),
      "SESSION.md": "In spec-execute.\n",
    });
    expect(field(brief, "Dependencies / Preconditions")).toEqual([
      "`design.md` belongs before spec-execute and is not there.",
    ]);
    expect(field(brief, "Approved Decisions")).toEqual([
      "a-1: approval of `requirements.md` is inferred from the presence of later spec artifacts.",
      "a-1: approval of `tasks.md` is inferred from the stage that is named.",
    ]);
  });
});

test("a team's own workflow is data", async () => {
  const rfc: Workflow = {
    type: "rfc",
    root: "rfcs",
    artifacts: [
      {
        file: "rfc.md",
        role: "document",
        stage: "rfc-draft",
        passed: "It is written.",
        inferred: "{name}: taken as agreed.",
      },
      {
        file: "votes.md",
        role: "notes",
        stage: "rfc-vote",
        passed: "It is voted on.",
        inferred: "{name}: closed.",
      },
    ],
    stages: [
      {
        name: "rfc-draft",
        artifact: "rfc.md",
        objective: "Write {name}.",
        step: "Write.",
        next: "Write on.",
        withTask: null,
        gate: "Two readers.",
        done: ["It is short."],
      },
      {
        name: "rfc-vote",
        artifact: "votes.md",
        objective: "Vote on {name}.",
        step: "Count.",
        next: "Ask the rest.",
        withTask: null,
        gate: "A majority.",
        done: ["All have voted."],
      },
    ],
  };
  const files = { "rfcs/12-cache/rfc.md": "# RFC\n", "rfcs/12-cache/votes.md": "- two for it\n" };
  const brief = await buildBrief(writeFiles(folder(), files), { workflows: [rfc] });
  expect(field(brief, "Workflow Type")).toEqual(["rfc"]);
  expect(field(brief, "Canonical Workflow Stage")).toEqual(["rfc-vote"]);
  expect(field(brief, "Primary Objective")).toEqual(["Vote on 12-cache."]);
  expect(field(brief, "Approved Decisions")).toEqual(["12-cache: taken as agreed."]);
  expect(field(brief, "Artifact Status")).toEqual(["12-cache: two for it"]);
});
