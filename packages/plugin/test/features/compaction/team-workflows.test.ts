import { expect, test } from "bun:test";
import { listWorkflows } from "../../../src/features/compaction/workflows.ts";
import { scratchFolders } from "../../sources/scratch-folder.ts";
import { resolveConfig } from "../../whole-config.ts";
import { buildBrief, field, writeFiles } from "./workspace.ts";

const folder = scratchFolders();

const rfc = {
  type: "rfc",
  root: "rfcs",
  artifacts: [
    { file: "rfc.md", role: "document", stage: "rfc-draft" },
    { file: "plan.md", role: "tasks", stage: "rfc-build" },
  ],
  stages: [
    {
      name: "rfc-draft",
      artifact: "rfc.md",
      objective: "Write {name}.",
      step: "Write.",
      next: "Write on.",
      gate: "Two readers agree.",
      done: ["It is short."],
    },
    {
      name: "rfc-build",
      artifact: "plan.md",
      objective: "Build {name}.",
      step: "Check what is built.",
      next: "Ask for a release.",
      taskStep: "Build {task}[ of {batch}].",
      taskNext: "Go on with {task}.",
      gate: "The build is green.",
      done: ["All is built."],
    },
  ],
};

const configured = (workflows: unknown) =>
  resolveConfig([
    {
      file: "x.jsonc",
      scope: "project",
      findLine: () => null,
      value: { continuity: { workflows } },
    },
  ]);

test("L15: a team describes its own workflow in the configuration", async () => {
  const { config, warnings } = configured([rfc]);
  expect(warnings).toEqual([]);
  const workflows = listWorkflows(config.continuity.workflows);
  expect(workflows.map(({ type }) => type)).toEqual(["rfc", "spec", "bug"]);
  const files = {
    "rfcs/12-cache/rfc.md": "# RFC\nStatus: accepted\n",
    "rfcs/12-cache/plan.md": "## Part 1\n- [x] the store\n- [ ] the index\n",
  };
  const brief = await buildBrief(writeFiles(folder(), files), { workflows });
  expect(field(brief, "Canonical Workflow Stage")).toEqual(["rfc-build"]);
  expect(field(brief, "Current Step")).toEqual(["Build the index (Part 1) of Part 1."]);
  expect(field(brief, "Next Action")).toEqual(["Go on with the index (Part 1)."]);
  expect(field(brief, "Transition Gate")).toEqual(["The build is green."]);
  expect(field(brief, "Approved Decisions")).toEqual(["12-cache: `rfc.md` records its approval."]);
});

test("one of a built-in type takes its place", () => {
  const { config } = configured([{ ...rfc, type: "spec" }]);
  const workflows = listWorkflows(config.continuity.workflows);
  expect(workflows.map(({ type, root }) => `${type} ${root}`)).toEqual([
    "spec rfcs",
    "bug .codex/bugs",
  ]);
});

test("one that does not fit is refused with a warning, and the built-in ones stay", () => {
  for (const wrong of [
    { ...rfc, root: "../elsewhere" },
    { ...rfc, root: "/etc" },
    { ...rfc, artifacts: [{ file: "a/../../b", role: "document", stage: "rfc-draft" }] },
    { ...rfc, artifacts: [{ file: "rfc.md", role: "document", stage: "rfc-nowhere" }] },
    { ...rfc, stages: [] },
  ]) {
    const { config, warnings } = configured([wrong]);
    expect(warnings).toHaveLength(1);
    expect(listWorkflows(config.continuity.workflows)).toHaveLength(2);
  }
});
