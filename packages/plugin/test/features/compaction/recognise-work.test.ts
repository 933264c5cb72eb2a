import { describe, expect, test } from "bun:test";
import { parseMarkdownLines } from "../../../src/features/compaction/markdown.ts";
import {
  createNameLookup,
  findStageHint,
  listCandidates,
  parseArtifactState,
  recogniseWork,
  type StageHint,
  type WorkFolder,
  type WorkSigns,
} from "../../../src/features/compaction/recognise.ts";
import { builtInWorkflows, type Workflow } from "../../../src/features/compaction/workflows.ts";

const workflow = (type: string): Workflow => {
  const found = builtInWorkflows.find((one) => one.type === type);
  if (!found) throw new Error(type);
  return found;
};
const [spec, bug] = [workflow("spec"), workflow("bug")];
const MINUTE_MS = 60_000;

function folder(name: string, files: Readonly<Record<string, number>>, of = spec): WorkFolder {
  const there = Object.entries(files).map(([file, changedAtMs]) => ({ file, changedAtMs }));
  return { workflow: of, name, files: there };
}

const signs = (changes: Partial<WorkSigns> = {}): WorkSigns => ({
  ...{ hint: null, named: () => -1, touched: [] },
  ...changes,
});

function createHint(stageName: string, from: StageHint["from"] = "session"): StageHint {
  for (const one of [spec, bug]) {
    const stage = one.stages.find(({ name }) => name === stageName);
    if (stage) return { workflow: one, stage, from };
  }
  throw new Error(stageName);
}

describe("the stage that AGENTS.md names", () => {
  const hint = (session: string, agents: string) =>
    findStageHint(parseMarkdownLines(session), parseMarkdownLines(agents), builtInWorkflows)?.stage
      .name ?? null;

  test("counts where it names two stages of the workflow, and not where it goes through more", () => {
    expect(hint("", "spec-create is done, spec-design is next")).toBe("spec-design");
    expect(hint("", "spec-create, spec-design\n\nnow bug-analyze")).toBe("bug-analyze");
    expect(hint("", "spec-create, spec-design, spec-tasks")).toBeNull();
  });

  test("counts on a line with an arrow, unless that draws the whole way", () => {
    expect(hint("-> spec-tasks", "")).toBe("spec-tasks");
    expect(hint("spec-design -> spec-tasks", "")).toBe("spec-tasks");
    expect(hint("spec-create, spec-design, spec-tasks: all done", "")).toBe("spec-tasks");
    expect(hint("spec-create → spec-design → spec-tasks", "")).toBeNull();
  });
});

describe("where SESSION.md names a folder", () => {
  const named = (session: string, name: string) =>
    createNameLookup(session)({ workflow: spec, name, files: [] });

  test("it is the last place, also at a sentence's end, and with dots inside", () => {
    expect(named("001-a, then 002-b, then 001-a.", "001-a")).toBe(24);
    expect(named("001-a", "001-a")).toBe(0);
    expect(named("On to 001-a...", "001-a")).toBe(6);
    expect(named("On to v1.2.", "v1.2")).toBe(6);
    expect(named("On to 001-ab.", "001-a")).toBe(-1);
  });

  test("a plain word is a name only in a path", () => {
    for (const session of ["The cache is slow.", " cache", "See .codex/specs/cached"]) {
      expect(named(session, "cache")).toBe(-1);
    }
    expect(named("See .codex/specs/cache and cache", "cache")).toBe(4);
  });
});

describe("the folders that may be the session's work", () => {
  const names = (folders: readonly WorkFolder[], with_: WorkSigns) =>
    listCandidates(folders, with_).map(({ name }) => name);
  const page = (name: string, atMs = 0) => folder(name, { "requirements.md": atMs });

  test("come in the order: named, touched, fit for the stage, changed, complete, by name", () => {
    const path = (name: string) => `/p/.codex/specs/${name}/requirements.md`;
    const folders = ["a", "b", "c", "d"].map((name) => page(name));
    const named = ({ name }: WorkFolder) => (name === "a" ? 5 : -1);
    const touched = [path("c"), path("b")];
    expect(names(folders, signs({ named, touched }))).toEqual(["a", "c", "b", "d"]);
  });

  test("one fits that has the stage's artifact, whatever else it has", () => {
    const fit = folder("a", { "requirements.md": 0, "design.md": 0 });
    const folders = [fit, page("b", 9 * MINUTE_MS)];
    expect(names(folders, signs({ hint: createHint("spec-design") }))).toEqual(["a", "b"]);
    expect(names(folders, signs())).toEqual(["b", "a"]);
  });

  test("one has changed when the newest of its files did, by the minute", () => {
    const mixed = folder("a", { "requirements.md": 0, "design.md": 9 * MINUTE_MS });
    expect(names([mixed, page("b", 5 * MINUTE_MS)], signs())).toEqual(["a", "b"]);
    const complete = folder("a", { "requirements.md": 0, "design.md": MINUTE_MS + 1_000 });
    expect(names([complete, page("b", MINUTE_MS + 2_000)], signs())).toEqual(["a", "b"]);
  });

  test("of two that nothing tells apart the order stays", () => {
    const twins = [page("a"), folder("a", { "report.md": 0 }, bug)];
    expect(listCandidates(twins, signs())).toEqual(twins);
    expect(listCandidates(twins.toReversed(), signs())).toEqual(twins.toReversed());
  });

  test("are of the workflow that is hinted at, and of all where AGENTS.md hints at one without any", () => {
    const folders = [page("a"), folder("x", { "report.md": 0 }, bug)];
    expect(names(folders, signs({ hint: createHint("bug-fix", "agents") }))).toEqual(["x"]);
    expect(names([page("a")], signs({ hint: createHint("bug-fix", "agents") }))).toEqual(["a"]);
    expect(names([page("a")], signs({ hint: createHint("bug-fix") }))).toEqual([]);
  });
});

describe("the session's work", () => {
  function read(name: string, texts: Readonly<Record<string, string>>, of = spec) {
    const artifacts = of.artifacts.flatMap((artifact) => {
      const text = texts[artifact.file];
      return text === undefined ? [] : [parseArtifactState(artifact, text)];
    });
    const files = Object.fromEntries(artifacts.map(({ artifact }) => [artifact.file, 0]));
    return { folder: folder(name, files, of), artifacts };
  }
  const over = read("over-1", { "tasks.md": "- [x] one\n" });
  const open = read("open-2", { "tasks.md": "- [ ] one\n" });

  test("is what is not over; what is over only where it is named or touched", () => {
    expect(recogniseWork([over, open], signs())?.folder?.name).toBe("open-2");
    expect(recogniseWork([over], signs())).toBeNull();
    expect(
      recogniseWork([open, over], signs({ named: createNameLookup("over-1") }))?.folder?.name,
    ).toBe("over-1");
    const touched = [".codex/specs/over-1/tasks.md"];
    expect(recogniseWork([open, over], signs({ touched }))?.folder?.name).toBe("over-1");
  });

  test("is over and all there is, where the session's own words name a stage", () => {
    const hint = createHint("spec-execute");
    expect(recogniseWork([over], signs({ hint }))).toMatchObject({
      folder: { name: "over-1" },
      stage: { name: "spec-execute" },
    });
    expect(recogniseWork([], signs({ hint }))).toMatchObject({ folder: null, artifacts: [] });
    expect(recogniseWork([], signs({ hint: createHint("spec-execute", "agents") }))).toBeNull();
  });

  const stages: readonly (readonly [string, string, Readonly<Record<string, string>>, Workflow])[] =
    [
      ["a document that is not approved", "spec-design", { "design.md": "- [x] drawn\n" }, spec],
      ["one that is", "spec-tasks", { "design.md": "Status: approved\n" }, spec],
      ["tasks of which none is done", "spec-tasks", { "tasks.md": "- [ ] one\n" }, spec],
      [
        "tasks of which one is done",
        "spec-execute",
        { "tasks.md": "- [x] one\n- [ ] two\n" },
        spec,
      ],
      [
        "tasks that are approved",
        "spec-execute",
        { "tasks.md": "Status: approved\n- [ ] one\n" },
        spec,
      ],
      ["a log", "spec-execute", { "context.md": "Status: approved\n" }, spec],
      ["notes", "bug-fix", { "harness/progress.md": "- the fix is in\nStatus: approved\n" }, bug],
      [
        "notes that name a stage",
        "bug-verify",
        { "harness/progress.md": "- on to bug-verify\n" },
        bug,
      ],
    ];
  test.each(stages)("of %s is in %s", (_what, stage, texts, of) => {
    expect(recogniseWork([read("x-1", texts, of)], signs())?.stage.name).toBe(stage);
  });

  test("is none where a folder has nothing that can be read", () => {
    expect(recogniseWork([{ folder: folder("a", {}), artifacts: [] }], signs())).toBeNull();
  });
});
