import { describe, expect, test } from "bun:test";
import type { Brief, CarriedFields, Section } from "../../../src/features/compaction/brief.ts";
import { type BriefInputs, buildBrief } from "../../../src/features/compaction/build.ts";
import { parseMarkdownLines } from "../../../src/features/compaction/markdown.ts";
import { parseNotes } from "../../../src/features/compaction/notes.ts";
import {
  parseArtifactState,
  type RecognisedWork,
} from "../../../src/features/compaction/recognise.ts";
import type { RuntimeFacts } from "../../../src/features/compaction/runtime-facts.ts";
import { builtInWorkflows } from "../../../src/features/compaction/workflows.ts";
import { noFacts } from "./workspace.ts";

function createWork(stageName: string, texts: Readonly<Record<string, string>>): RecognisedWork {
  for (const workflow of builtInWorkflows) {
    const stage = workflow.stages.find(({ name }) => name === stageName);
    if (!stage) continue;
    const artifacts = workflow.artifacts.flatMap((artifact) => {
      const text = texts[artifact.file];
      return text === undefined ? [] : [parseArtifactState(artifact, text)];
    });
    return { workflow, stage, folder: { workflow, name: "w-1", files: [] }, artifacts };
  }
  throw new Error(stageName);
}

function made(session: string, changes: Partial<BriefInputs> = {}): Brief {
  const notes = parseNotes(parseMarkdownLines(session));
  return buildBrief({
    sessionNotes: notes,
    work: null,
    facts: noFacts,
    carried: null,
    prefix: "",
    ...changes,
  });
}

const facts = (changes: Partial<RuntimeFacts>): RuntimeFacts => ({ ...noFacts, ...changes });
const request = (changes: object) => ({
  ...{ text: "Do it.", isAnswered: false, files: [], commands: [] },
  ...changes,
});
const field = ({ generic, workflow }: Brief, heading: Section["heading"]) =>
  [...generic, ...(workflow ?? [])].find((section) => section.heading === heading)?.lines;

describe("what must not get lost", () => {
  test("is of a workflow its stage, step, next action and gate", () => {
    const work = createWork("bug-fix", {});
    const { essentials } = made("", { work });
    expect(essentials).toEqual({
      stage: "bug-fix",
      step: work.stage.step,
      nextAction: work.stage.next.replace("{name}", "w-1"),
      gate: work.stage.gate,
    });
  });

  test("is of any other session its step and next action, where there are any", () => {
    const none = { stage: null, step: null, nextAction: null, gate: null };
    expect(made("").essentials).toEqual(none);
    expect(made("Now: parse it\nNext: test it\n").essentials).toEqual({
      ...{ ...none, step: "Parse it", nextAction: "test it" },
    });
  });
});

describe("what goes on to the next brief", () => {
  const carried: CarriedFields = { objective: "Former.", decisions: ["d"] };

  test("is of a workflow the session's own objective: what the files state, else what was carried", () => {
    const work = createWork("bug-fix", {});
    expect(made("Goal: new\n", { work, carried }).carried.objective).toBe("new");
    expect(made("", { work, carried }).carried.objective).toBe("Former.");
    expect(made("", { work }).carried.objective).toBeNull();
    expect(made("Goal: new\n").carried.objective).toBe("New");
    expect(made("").carried.objective).toBeNull();
  });

  test("is sixty decisions at most, and none that a file takes back", () => {
    const many = Array.from({ length: 61 }, (_, index) => `- d${index}`).join("\n");
    expect(made(`## Decisions\n${many}`).carried.decisions).toHaveLength(60);
    expect(made("", { carried }).carried.decisions).toEqual(["d"]);
    expect(made("Decisions: none\n", { carried }).carried.decisions).toEqual([]);
  });
});

describe("the generic fields", () => {
  test("have of what the files state the first where one is asked for", () => {
    const session =
      "## Goal\n- one\n- two\n## Focus\n- three\n- four\n## Open Work\n- five\n- six\n";
    const brief = made(session);
    expect(field(brief, "Primary Objective")).toEqual(["One"]);
    expect(field(brief, "Current Step")).toEqual(["Current open work: five"]);
    expect(field(brief, "Status")).toEqual(["Active — working on three."]);
    expect(field(brief, "Next Action")).toEqual(["five"]);
    expect(brief.source).toBe("files");
    const work = made(session, { work: createWork("bug-fix", {}) });
    expect(field(work, "Primary Objective")?.slice(1)).toEqual(["one", "Focus: three"]);
  });

  test("say what of the requests waits, and which one is asked last", () => {
    const brief = made("", { facts: facts({ unanswered: ["a", "b", "c"], queued: ["d"] }) });
    expect(field(brief, "Remaining")).toEqual([
      ...["Unanswered request: “a”", "Unanswered request: “b”", "Queued prompt: “d”"],
    ]);
    expect(field(brief, "Current Step")).toEqual(["Answer the user's request: “c”"]);
    expect(field(brief, "Next Action")).toEqual(["The user's last request has no answer yet: “c”"]);
    expect(brief.source).toBe("session");
  });

  test("list six of each deed, and say how many more there are", () => {
    const files = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ path: `${index}`, touch: "read" }) as const);
    const done = (count: number) =>
      field(
        made("", { facts: facts({ request: request({ files: files(count) }) }) }),
        "Primary Objective",
      )?.[1];
    expect(done(6)).toBe("Done since: read 0, 1, 2, 3, 4, 5.");
    expect(done(8)).toBe("Done since: read 0, 1, 2, 3, 4, 5 and 2 more.");
  });

  test("say of a command how it failed, and of the newest request whether it is answered", () => {
    const failing = [
      { command: "make `it`", exitCode: 2 },
      { command: "sleep", exitCode: null },
    ];
    const brief = made("", { facts: facts({ failing, request: request({ isAnswered: true }) }) });
    expect(field(brief, "Blockers / Risks")).toEqual([
      "`make 'it'` failed last with exit code 2.",
      "`sleep` did not complete.",
    ]);
    expect(field(brief, "Status")).toEqual(["The user's newest request is answered."]);
    expect(field(made("", { facts: facts({ request: request({}) }) }), "Status")).toEqual([
      "Active — a request of the user is not answered yet.",
    ]);
  });
});

test("of a workflow, questions and dependencies are those of SESSION.md and of its artifacts", () => {
  const artifact =
    "Question: why?\nDepends on: the API\n## Checks\n- [ ] to be checked\n- [x] checked\n";
  const work = createWork("spec-execute", { "requirements.md": artifact, "context.md": artifact });
  const brief = made("Question: when?\nDepends on: the host\n", { work });
  expect(field(brief, "Pending Decisions / Open Questions")).toEqual(["when?", "why?"]);
  expect(field(brief, "Dependencies / Preconditions")?.slice(-2)).toEqual(["the host", "the API"]);
  expect(field(brief, "Remaining")?.slice(-1)).toEqual(["to be checked"]);
  const notes = made("", {
    work: createWork("bug-fix", { "harness/progress.md": "- [ ] open\n" }),
  });
  expect(field(notes, "Remaining")?.slice(-1)).toEqual(["open"]);
  const document = made("", { work: createWork("bug-fix", { "report.md": "- [ ] open\n" }) });
  expect(field(document, "Remaining")).not.toContain("open");
});
