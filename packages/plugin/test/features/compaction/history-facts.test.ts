import { describe, expect, test } from "bun:test";
import {
  gatherRuntimeFacts,
  isSummary,
  parseTodos,
} from "../../../src/features/compaction/runtime-facts.ts";
import type { HostPart } from "../../../src/ledger/message.ts";
import { answer, broke, compaction, prompt, ran, summary } from "./history.ts";

const place = { id: "p", messageID: "m", sessionID: "ses" };
const part = (fields: object) => ({ ...place, type: "text", ...fields }) as HostPart;
const facts = (...messages: Parameters<typeof gatherRuntimeFacts>[0]) =>
  gatherRuntimeFacts(messages, "/p/");
const listFactFiles = (...parts: readonly HostPart[]) =>
  facts(answer("u1", "stop", ...parts)).files;
const edit = (filePath: string) => ran("edit", { filePath });
const read = (filePath: string) => ran("read", { filePath });

describe("what the user asked", () => {
  const request = (...parts: readonly HostPart[]) =>
    facts({ ...prompt("u1", ""), parts }).request?.text ?? null;

  test("is the texts of the prompt, without what others added to it", () => {
    const parts = [
      part({ text: " one " }),
      part({ type: "file", mime: "a/b", url: "x" }),
      part({ text: "  " }),
      part({ text: "by the host", synthetic: true }),
      part({ text: "not sent", ignored: true }),
      part({ text: "two" }),
    ];
    expect(request(...parts)).toBe("one two");
  });

  test("is nothing in a row that asks for a compaction, an empty one, or an answer", () => {
    expect(request(part({ text: "What did we do?" }), part({ type: "compaction" }))).toBeNull();
    expect(request(part({ text: " " }))).toBeNull();
    expect(facts(answer("u0", "stop", part({ text: "Done." }))).request).toBeNull();
  });

  test("waits while another one is worked on, and not for a summary that was never finished", () => {
    const unfinished = {
      ...summary("c1", ""),
      info: { ...summary("c1", "").info, finish: undefined },
    };
    const { unanswered, queued } = facts(
      prompt("u1", "one"),
      prompt("u2", "two"),
      compaction("c1"),
      unfinished,
    );
    expect([unanswered, queued]).toEqual([["one"], ["two"]]);
  });

  test("is what the session is at, though no row says so yet", () => {
    const {
      request: newest,
      unanswered,
      queued,
    } = facts(prompt("u1", "one"), answer("u1", "stop"), prompt("u2", "two"));
    expect([newest?.text, unanswered, queued]).toEqual(["two", ["two"], []]);
  });

  test("is open after rows that end in a tool call, or in nobody knows what", () => {
    for (const finish of ["tool-calls", "unknown", undefined]) {
      expect(facts(prompt("u1", "one"), answer("u1", finish)).unanswered).toEqual(["one"]);
    }
    expect(facts(prompt("u1", "one"), answer("u1", "stop")).request).toMatchObject({
      ...{ text: "one", isAnswered: true },
    });
  });
});

test("a summary is a finished one of the model's", () => {
  const { info } = summary("c1", "");
  expect(isSummary(info)).toBe(true);
  for (const changes of [
    { role: "user" },
    { error: {} },
    { finish: undefined },
    { summary: false },
  ]) {
    expect(isSummary({ ...info, ...changes } as typeof info)).toBe(false);
  }
});

describe("todos", () => {
  test("are those of the newest list that was written", () => {
    const list = (content: string) => ({ todos: [{ content, status: "pending" }] });
    const { todos } = facts(
      answer("u1", "stop", ran("todowrite", list("a")), broke("todowrite", list("b"))),
    );
    expect(todos).toEqual([{ text: "a", state: "open" }]);
  });

  test("are none in anything else than a list of them", () => {
    expect(parseTodos("a")).toEqual([]);
    expect(parseTodos([null, "a", { content: 1 }, { status: "pending" }])).toEqual([]);
  });
});

describe("files", () => {
  const paths = (...parts: readonly HostPart[]) => listFactFiles(...parts).map(({ path }) => path);

  test("are those that a call of the host's own tools has come through with", () => {
    const others = [broke("edit", { filePath: "/p/b.ts" }), ran("grep", { filePath: "/p/c.ts" })];
    expect(paths(edit("/p/a.ts"), ...others, ran("edit", {}), ran("edit", null))).toEqual(["a.ts"]);
  });

  test("are shown from the session's directory, and as they are outside of it", () => {
    expect(paths(edit("./././a.ts"))).toEqual(["a.ts"]);
    expect(paths(edit("/p/a/./b.ts"))).toEqual(["a/./b.ts"]);
    expect(paths(edit("C:\\p\\a.ts"))).toEqual(["C:/p/a.ts"]);
    expect(gatherRuntimeFacts([answer("u", "stop", edit("/p/a.ts"))], "/p//").files).toEqual([
      { path: "a.ts", touch: "edited" },
    ]);
    expect(paths(edit("/pp/a.ts"))).toEqual(["/pp/a.ts"]);
  });

  test("stay edited, whatever was read of them before or since", () => {
    expect(listFactFiles(read("/p/a.ts"), edit("/p/a.ts"))).toEqual([
      { path: "a.ts", touch: "edited" },
    ]);
    expect(listFactFiles(edit("/p/a.ts"), read("/p/a.ts"))).toEqual([
      { path: "a.ts", touch: "edited" },
    ]);
  });

  test("are the sixty newest; an older touch of one of them counts all the same", () => {
    const many = Array.from({ length: 61 }, (_, index) => read(`/p/${index}.ts`));
    const files = listFactFiles(edit("/p/60.ts"), ...many);
    expect([files.length, files[0], files.at(-1)?.path]).toEqual([
      60,
      { path: "60.ts", touch: "edited" },
      "1.ts",
    ]);
  });

  test("of a patch are those that its heads name", () => {
    const patchText = [
      "*** Begin Patch",
      "*** Update File: a.ts ",
      "*** Move to: b.ts",
      "+*** Add File: no.ts",
      "*** Delete File: c.ts",
      "*** End Patch",
    ].join("\n");
    expect(paths(ran("apply_patch", { patchText }))).toEqual(["b.ts", "a.ts"]);
    expect(paths(ran("apply_patch", { filePath: "", patchText }))).toEqual(["b.ts", "a.ts"]);
  });
});

describe("failing commands", () => {
  const bash = (command: unknown, exit?: number) => ran("bash", { command }, exit);
  const failing = (...parts: readonly HostPart[]) => facts(answer("u", "stop", ...parts)).failing;

  test("are those of the shell that ended otherwise than with 0, by the whole command", () => {
    const others = [
      ran("task", { command: "make" }, 1),
      bash(7, 1),
      bash("npm test"),
      ran("bash", null, 1),
    ];
    expect(failing(...others)).toEqual([]);
    expect(failing(bash("npm test", 1), bash("  npm \n test ", 0))).toEqual([]);
  });

  const inVain = [
    "grep x y",
    "cd  src && rg x",
    "  git  diff",
    "git show a",
    "[ -f x ]",
    "cd a&&ls b",
    "cat a",
  ];
  const meant = ["grepx", "cdgrep x", "cd a b && ls", "git push", "xgrep y", "make cat"];
  test("are none of those that look for something in vain", () => {
    expect(failing(...inVain.map((command) => bash(command, 1)))).toEqual([]);
    expect(failing(...meant.map((command) => bash(command, 1)))).toHaveLength(meant.length);
  });

  test("are the eight newest", () => {
    const many = Array.from({ length: 9 }, (_, index) => bash(`make ${index}`, 2));
    expect(
      failing(...many)
        .map(({ command }) => command.slice(5))
        .join(""),
    ).toBe("87654321");
  });
});
