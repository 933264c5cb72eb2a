import { expect, test } from "bun:test";
import { renderBrief } from "../../../src/features/compaction/brief.ts";
import { scratchFolders } from "../../sources/scratch-folder.ts";
import { buildBrief, type Files, field, writeFiles } from "./workspace.ts";
import { bugFix, refactor, specExecute } from "./workspaces.ts";

const folder = scratchFolders();
const made = (files: Files) => buildBrief(writeFiles(folder(), files));

test("L1: spec execution with a live tasks.md and context.md", async () => {
  const brief = await made(specExecute);
  expect(field(brief, "Canonical Workflow Stage")).toEqual(["spec-execute"]);
  expect(field(brief, "Remaining")).toEqual([
    "2 — Build continuation context (Batch 1 — Foundation)",
    "3 — Add workflow tests (Batch 2 — Validation)",
  ]);
  expect(field(brief, "Artifact Status")?.[0]).toContain("1 task(s) complete, 2 remaining");
});

test("L2: bug fixing with an approved analysis.md and a harness progress note", async () => {
  const analysis = ".codex/bugs/session-resume-regression/analysis.md";
  const brief = await made({
    ...bugFix,
    "SESSION.md": "Focus: the resume bug\n",
    [analysis]: `Status: Approved\n\n${bugFix[analysis]}`,
  });
  expect(field(brief, "Canonical Workflow Stage")).toEqual(["bug-fix"]);
  expect(field(brief, "Approved Decisions")).toEqual([
    "session-resume-regression: approval of `report.md` is inferred from the presence of later bug artifacts.",
    "session-resume-regression: `analysis.md` records its approval.",
  ]);
  expect(field(brief, "Status")?.[0]).toEndWith(
    "harness progress notes: bug-fix approved; implement fix and add regression coverage",
  );
});

test("L3: a draft of analysis.md is bug-analyze, and its approval is pending", async () => {
  const brief = await made({
    ".codex/bugs/flaky/report.md": "# Report\nIt fails at night.\n",
    ".codex/bugs/flaky/analysis.md": "# Analysis\n\n**Status:** Draft, not approved\n",
  });
  expect(field(brief, "Workflow Type")).toEqual(["bug"]);
  expect(field(brief, "Canonical Workflow Stage")).toEqual(["bug-analyze"]);
  expect(field(brief, "Artifact Status")).toEqual([
    "flaky: `analysis.md` is a draft that awaits approval.",
  ]);
  expect(field(brief, "Pending Decisions / Open Questions")).toEqual([
    "flaky: `analysis.md` is a draft; its approval is pending.",
  ]);
  expect(field(brief, "Approved Decisions")?.join()).not.toContain("analysis.md");
});

test("L4: of an unknown session every generic field says none recorded, and there is no workflow", async () => {
  const { brief, text } = await made({});
  expect(brief.workflow).toBeNull();
  expect(brief.generic.flatMap(({ lines }) => lines)).toEqual(Array(9).fill("none recorded"));
  expect(text).not.toContain("Workflow-Aware Augmentation");
});

test("L8: blockers and pending tests are told", async () => {
  const brief = await made({
    "SESSION.md": `## Pending Tests
- [ ] the importer against a broken file
- [x] the importer against an empty file
## Blockers
- CI has no credentials for the registry
- [x] the staging database was down
`,
  });
  expect(field(brief, "Remaining")).toEqual(["Pending tests: the importer against a broken file"]);
  expect(field(brief, "Completed")).toEqual(["the importer against an empty file"]);
  expect(field(brief, "Blockers / Risks")).toEqual(["CI has no credentials for the registry"]);
});

test("L9: an empty SESSION.md gives the minimal brief", async () => {
  const { brief, text } = await made({ "SESSION.md": "" });
  expect(brief.workflow).toBeNull();
  expect(text).toBe((await made({})).text);
  expect(text).toBe(renderBrief(brief));
});

test("the same files give the same brief", async () => {
  for (const files of [refactor, specExecute, bugFix]) {
    expect((await made(files)).text).toBe((await made(files)).text);
  }
});
