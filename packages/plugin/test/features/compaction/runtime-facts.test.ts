import { describe, expect, test } from "bun:test";
import { gatherRuntimeFacts } from "../../../src/features/compaction/runtime-facts.ts";
import { scratchFolders } from "../../sources/scratch-folder.ts";
import { answer, broke, compaction, hostRow, prompt, ran, summary } from "./history.ts";
import { buildBrief, field } from "./workspace.ts";

const folder = scratchFolders();
const read = (path: string) => ran("read", { filePath: path });
const edit = (path: string) => ran("edit", { filePath: path });
const bash = (command: string, exit: number) => ran("bash", { command }, exit);

describe("what the runtime knows", () => {
  test("files, the newest touch first; an edited one stays edited", () => {
    const facts = gatherRuntimeFacts(
      [
        prompt("u1", "go"),
        answer("u1", "tool-calls", read("/p/a.ts"), edit("/p/b.ts"), read("/p/c.ts")),
        answer("u1", "tool-calls", read("/p/b.ts"), read("/elsewhere/d.ts"), broke("edit", {})),
      ],
      "/p",
    );
    expect(facts.files).toEqual([
      { path: "/elsewhere/d.ts", touch: "read" },
      { path: "b.ts", touch: "edited" },
      { path: "c.ts", touch: "read" },
      { path: "a.ts", touch: "read" },
    ]);
  });

  test("files of a patch and of a written one", () => {
    const patchText = "*** Begin Patch\n*** Update File: a.ts\n*** Add File: b.ts\n*** End Patch";
    const parts = [ran("apply_patch", { patchText }), ran("write", { filePath: "/p/c.ts" })];
    const { files } = gatherRuntimeFacts([answer("u1", "stop", ...parts)], "/p");
    expect(files.map(({ path }) => path)).toEqual(["c.ts", "b.ts", "a.ts"]);
  });

  test("only of this epoch", () => {
    const facts = gatherRuntimeFacts(
      [
        prompt("u1", "the first task"),
        answer("u1", "stop", read("/p/old.ts"), bash("npm test", 1)),
        compaction("c1"),
        summary("c1", "Done so far."),
        prompt("u2", "the second task"),
        answer("u2", "tool-calls", read("/p/new.ts")),
        compaction("c2"),
      ],
      "/p",
    );
    expect(facts.files.map(({ path }) => path)).toEqual(["new.ts"]);
    expect(facts.failing).toEqual([]);
    expect(facts.request?.text).toBe("the second task");
  });

  test("commands whose newest run failed; looking in vain is no failure", () => {
    const { failing } = gatherRuntimeFacts(
      [
        answer("u1", "stop", bash("npm test", 1), bash("npm run lint", 2), bash("grep x y", 1)),
        answer("u1", "stop", bash("npm  run lint", 0), bash("cargo build", 101)),
        answer("u1", "stop", broke("bash", { command: "sleep 99" }, true)),
        answer("u1", "stop", broke("bash", { command: "make" })),
      ],
      "/p",
    );
    expect(failing).toEqual([
      { command: "make", exitCode: null },
      { command: "cargo build", exitCode: 101 },
      { command: "npm test", exitCode: 1 },
    ]);
  });

  test("the newest todo list, without what was cancelled", () => {
    const list = (...entries: readonly (readonly [string, string])[]) =>
      ran("todowrite", { todos: entries.map(([content, status]) => ({ content, status })) });
    const { todos } = gatherRuntimeFacts(
      [
        answer("u1", "tool-calls", list(["old", "pending"])),
        answer("u1", "stop", list(["a", "completed"], ["b", "in_progress"], ["c", "cancelled"])),
      ],
      "/p",
    );
    expect(todos).toEqual([
      { text: "a", state: "done" },
      { text: "b", state: "active" },
    ]);
  });

  test("the request that is worked on, and prompts that wait", () => {
    const { unanswered, queued } = gatherRuntimeFacts(
      [
        prompt("u1", "answered"),
        answer("u1", "stop"),
        prompt("u2", "worked on"),
        answer("u2", "tool-calls", read("/p/a.ts")),
        prompt("u3", "waiting"),
        hostRow("u4", "Continue if you have next steps"),
        compaction("c1"),
      ],
      "/p",
    );
    expect(unanswered).toEqual(["worked on"]);
    expect(queued).toEqual(["waiting"]);
  });

  test("an answer that failed answers nothing", () => {
    const failed = answer("u1", "stop");
    const { unanswered } = gatherRuntimeFacts(
      [prompt("u1", "ask"), { ...failed, info: { ...failed.info, error: { name: "APIError" } } }],
      "/p",
    );
    expect(unanswered).toEqual(["ask"]);
  });
});

test("L11: without SESSION.md the brief says what the runtime knows", async () => {
  const list = [
    { content: "write the parser", status: "in_progress" },
    { content: "test it", status: "pending" },
    { content: "read the format", status: "completed" },
  ];
  const directory = folder();
  const messages = [
    prompt("u1", "Write an importer for the new format."),
    answer("u1", "tool-calls", ran("todowrite", { todos: list }), read(`${directory}/format.md`)),
    answer("u1", "tool-calls", edit(`${directory}/src/parser.ts`), bash("npm test", 1)),
    prompt("u2", "And mind the byte order mark."),
  ];
  const brief = await buildBrief(directory, { facts: gatherRuntimeFacts(messages, directory) });
  expect(field(brief, "Primary Objective")).toEqual([
    "The user's request: “Write an importer for the new format.”",
    "Done since: edited src/parser.ts; read format.md.",
  ]);
  expect(field(brief, "Current Step")).toEqual(["Current todo: write the parser"]);
  expect(field(brief, "Status")).toEqual(["Active — 2 of 3 todo(s) open."]);
  expect(field(brief, "Completed")).toEqual(["Done todo: read the format"]);
  expect(field(brief, "Remaining")).toEqual([
    "Todo in progress: write the parser",
    "Todo: test it",
    "Queued prompt: “And mind the byte order mark.”",
  ]);
  expect(field(brief, "Active Files")).toEqual(["src/parser.ts (edited)", "format.md (read)"]);
  expect(field(brief, "Blockers / Risks")).toEqual(["`npm test` failed last with exit code 1."]);
  expect(field(brief, "Next Action")).toEqual([
    "Go on with the todo: write the parser",
    "The user's last request has no answer yet: “Write an importer for the new format.”",
  ]);
});
