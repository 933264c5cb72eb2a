import { describe, expect, test } from "bun:test";
import {
  parseArtifactState,
  type RecognisedWork,
} from "../../../src/features/compaction/recognise.ts";
import { buildWorkLines } from "../../../src/features/compaction/work-lines.ts";
import {
  builtInWorkflows,
  listWorkflows,
  type Workflow,
} from "../../../src/features/compaction/workflows.ts";

function createWork(
  workflow: Workflow,
  stageName: string,
  texts: Readonly<Record<string, string>>,
) {
  const stage = workflow.stages.find(({ name }) => name === stageName);
  if (!stage) throw new Error(stageName);
  const artifacts = workflow.artifacts.flatMap((artifact) => {
    const text = texts[artifact.file];
    return text === undefined ? [] : [parseArtifactState(artifact, text)];
  });
  const work: RecognisedWork = {
    workflow,
    stage,
    folder: { workflow, name: "w-1", files: [] },
    artifacts,
  };
  return work;
}

const [spec, bug] = builtInWorkflows;
const of = (stage: string, texts: Readonly<Record<string, string>>) => {
  const workflow = stage.startsWith("bug") ? bug : spec;
  if (!workflow) throw new Error(stage);
  return buildWorkLines(createWork(workflow, stage, texts), "../");
};

describe("what a document of the stage says of itself", () => {
  const rows = [
    ["# R\n", "is there; it does not say whether it is approved", [], [], []],
    [
      "Status: approved\n",
      "records its approval",
      ["`requirements.md` exists and records its approval."],
      ["w-1: `requirements.md` records its approval."],
      [],
    ],
    [
      "Status: draft\n",
      "is a draft that awaits approval",
      [],
      [],
      ["w-1: `requirements.md` is a draft; its approval is pending."],
    ],
  ] as const;
  test.each(rows)("%j", (text, standing, completed, approved, pending) => {
    const lines = of("spec-create", { "requirements.md": text });
    expect(lines.artifactStatus).toEqual([`w-1: \`requirements.md\` ${standing}.`]);
    expect([lines.completed, lines.approved, lines.pendingApproval]).toEqual([
      [...completed],
      [...approved],
      [...pending],
    ]);
    expect(lines.remaining).toEqual([lines.step]);
    expect(lines.current).toEqual(["../.codex/specs/w-1/requirements.md"]);
    expect(lines.status).toBe("w-1 is in spec-create.");
  });

  test("that is not there yet", () => {
    const lines = of("spec-create", {});
    expect(lines.artifactStatus).toEqual(["w-1: `requirements.md` is not there yet."]);
    expect([lines.current, lines.sources, lines.missing]).toEqual([[], [], []]);
  });
});

describe("what has been left behind", () => {
  const later =
    "`requirements.md` exists and later-stage artifacts imply the requirements phase is complete.";
  const inferred = (what: string) =>
    `w-1: approval of \`requirements.md\` is inferred from ${what}.`;

  test("is taken as approved by later artifacts, or by the stage that is named alone", () => {
    const both = of("spec-design", { "requirements.md": "# R\n", "design.md": "# D\n" });
    expect([both.completed, both.approved]).toEqual([
      [later],
      [inferred("the presence of later spec artifacts")],
    ]);
    const alone = of("spec-design", { "requirements.md": "# R\n" });
    expect([alone.completed, alone.approved]).toEqual([
      ["`requirements.md` exists, and the named stage lies beyond it."],
      [inferred("the stage that is named")],
    ]);
  });

  test("that records its approval, or is a draft, is not inferred to be approved", () => {
    const recorded = of("spec-design", { "requirements.md": "Status: approved", "design.md": "#" });
    expect([recorded.completed, recorded.approved]).toEqual([
      [later],
      ["w-1: `requirements.md` records its approval."],
    ]);
    const draft = of("spec-design", { "requirements.md": "Status: draft", "design.md": "#" });
    expect([draft.completed, draft.approved]).toEqual([[later], []]);
  });

  test("is begun where a task is done, and not where another artifact has a ticked box", () => {
    const named = "`tasks.md` exists, and the named stage lies beyond it.";
    const started = "`tasks.md` exists and execution has started.";
    const tasks = (text: string) => of("spec-execute", { "tasks.md": text }).completed[0];
    expect(tasks("- [ ] one\n")).toBe(named);
    expect(tasks("- [x] one\n- [ ] two\n")).toBe(started);
    const both = { "requirements.md": "# R\n", "tasks.md": "- [x] one\n- [ ] two\n" };
    expect(of("spec-execute", both).completed[1]).toBe(started);
    const ticked = { "requirements.md": "- [x] read\n", "tasks.md": "- [ ] one\n" };
    expect(of("spec-execute", ticked).completed[1]).toBe(named);
  });

  test("and is not there is told as missing", () => {
    const { missing } = of("spec-tasks", { "requirements.md": "# R\n", "tasks.md": "# T\n" });
    expect(missing).toEqual(["`design.md` belongs before spec-tasks and is not there."]);
  });
});

describe("tasks", () => {
  const text = "## Batch 1\n- [x] one\n- [ ] two\n## Tasks\n- [ ] three.\n";

  test("say how far the work is and what is next, with their batch", () => {
    const lines = of("spec-execute", { "tasks.md": text, "context.md": "- [ ] no task\n" });
    expect(lines.remaining).toEqual(["two (Batch 1)", "three."]);
    expect(lines.completed.slice(-1)).toEqual(["one (Batch 1)"]);
    expect(lines.status).toBe(
      "w-1 is in spec-execute; 1 task(s) complete and 2 task(s) remaining.",
    );
    expect(lines.artifactStatus).toEqual([
      "w-1: 1 task(s) complete, 2 remaining; next task is two (Batch 1).",
    ]);
    expect(lines.step).toBe("Continue the current implementation lane in Batch 1: two (Batch 1).");
    const ungrouped = of("spec-execute", { "tasks.md": "- [ ] three.\n" });
    expect(ungrouped.step).toBe("Continue the current implementation lane: three.");
  });

  test("that are all done leave nothing but to validate", () => {
    const lines = of("spec-execute", { "tasks.md": "- [x] one\n" });
    expect(lines.remaining).toEqual([]);
    expect(lines.artifactStatus).toEqual(["w-1: 1 task(s) complete, 0 remaining."]);
    expect(lines.step).toStartWith("Validate what has been executed of w-1");
  });

  test("there are none in a stage that works through none, nor in a log", () => {
    for (const [stage, file] of [
      ["spec-create", "tasks.md"],
      ["spec-execute", "context.md"],
    ] as const) {
      const lines = of(stage, { [file]: text });
      expect(lines.remaining).toEqual([lines.step]);
    }
  });
});

test("notes tell how far the work is by the newest of them that says something", () => {
  const lines = of("bug-fix", { "harness/progress.md": "- began\n- the fix is in\n- none\n" });
  expect(lines.artifactStatus).toEqual(["w-1: the fix is in"]);
  expect(lines.status).toBe("w-1 is in bug-fix; harness progress notes: the fix is in");
  expect(lines.completed).toEqual(["began", "the fix is in"]);
});

test("each stage of a built-in workflow says when it is done", () => {
  const stages = builtInWorkflows.flatMap((workflow) => workflow.stages);
  expect(stages.filter(({ done }) => done.length < 2)).toEqual([]);
});

describe("a workflow of a team's own", () => {
  const stage = {
    ...{ artifact: "notes.v1.md", objective: "o", next: "n", gate: "g", done: [] },
    ...{ taskStep: "Do[ {task} of {batch} now]: {stage}{unknown}", taskNext: "n" },
  };
  const [own] = listWorkflows([
    {
      type: "own",
      root: "own//",
      artifacts: [
        { file: "notes.v1.md", role: "notes", stage: "first" },
        { file: "list.md", role: "tasks", stage: "first" },
      ],
      stages: [{ name: "first", step: "Begin[ {batch} and more]", ...stage }],
    },
  ]);
  if (!own) throw new Error("a workflow");

  test("has the places of its sentences filled, and a part left out of which one has nothing", () => {
    const step = (list: string) =>
      buildWorkLines(createWork(own, "first", { "list.md": list }), "").step;
    expect(step("## Batch 1\n- [ ] one\n")).toBe("Do one (Batch 1) of Batch 1 now: first{unknown}");
    expect(step("- [ ] one\n")).toBe("Do: first{unknown}");
    expect(step("")).toBe("Begin");
  });

  test("has its notes called by their file, without its ending", () => {
    const lines = buildWorkLines(createWork(own, "first", { "notes.v1.md": "- half of it\n" }), "");
    expect(lines.status).toBe("w-1 is in first; notes.v1 notes: half of it");
    expect(lines.sources).toEqual(["own/w-1/notes.v1.md"]);
  });

  test("has no folder where words alone speak of it", () => {
    if (!spec) throw new Error("a workflow");
    const late = { ...createWork(spec, "spec-execute", {}), folder: null };
    expect(buildWorkLines(late, "").missing).toEqual([]);
    const lines = buildWorkLines({ ...createWork(own, "first", {}), folder: null }, "");
    expect([lines.artifactStatus, lines.missing, lines.status]).toEqual([
      [],
      [],
      "this session is in first.",
    ]);
  });
});
