import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { collectResults } from "../../src/history/results.ts";
import { findSupersessions } from "../../src/history/superseded.ts";
import { assistant, type LoosePart, open, providerExecuted } from "../ledger/history.ts";
import { answers, called, createResults, failedCall } from "./calls.ts";

/** What becomes of the first of these calls: why, and which call made it so. */
function fate(...calls: readonly LoosePart[]): string {
  const death = findSupersessions(createResults(...calls)).get("m0.0");
  return death ? `${death.why} by ${death.at}` : "alive";
}

const read = (filePath: string, more: object = {}, text = "1: a\n(End of file - total 1 lines)") =>
  called("read", { filePath, ...more }, text);
const cut = (filePath: string, more: object = {}) =>
  read(filePath, more, "1: a\n(File has more lines. Use 'offset' to read on)");
const write = (filePath: string) => called("write", { filePath, content: "x" });
const edit = (filePath: string) => called("edit", { filePath, oldString: "a", newString: "b" });
const run = (command: string, output = "output") => called("bash", { command }, output);

describe("LS1: a result is dead", () => {
  const rows: readonly (readonly [string, readonly LoosePart[], string])[] = [
    ["a file that is read again whole", [read("a"), read("b"), read("a")], "repeated by 2"],
    ["a file that is written", [read("a"), write("a")], "repeated by 1"],
    ["a file that is edited: partly", [read("a"), edit("a")], "outdated by 1"],
    [
      "a file that is patched: partly",
      [read("a"), called("apply_patch", { patchText: "*** Update File: a\n+x" })],
      "outdated by 1",
    ],
    ["a file whose path is written otherwise", [read("./a"), read("a")], "repeated by 1"],
    [
      "a part that a whole read covers",
      [read("a", { offset: 5, limit: 3 }), read("a")],
      "repeated by 1",
    ],
    [
      "a part that is read again",
      [cut("a", { offset: 5 }), cut("a", { offset: 5 })],
      "repeated by 1",
    ],
    [
      "a part that a larger one covers",
      [read("a", { offset: 5, limit: 3 }), read("a", { offset: 1, limit: 9 })],
      "repeated by 1",
    ],
    ["a command that says the same again", [run("ls"), run("ls")], "repeated by 1"],
    [
      "a command that says something else now: as what was so",
      [run("ls"), run("ls", "b")],
      "outdated by 1",
    ],
    [
      "a command run for another reason",
      [
        called("bash", { command: "ls", description: "a" }),
        called("bash", { command: "ls", description: "b" }),
      ],
      "repeated by 1",
    ],
    [
      "a search that is repeated",
      [
        called("grep", { pattern: "x", path: "a" }),
        called("grep", { path: "a", pattern: "x" }, "other"),
      ],
      "repeated by 1",
    ],
    [
      "a listing that is repeated",
      [called("glob", { pattern: "*" }), called("glob", { pattern: "*" })],
      "repeated by 1",
    ],
    [
      "a page that is fetched again",
      [called("webfetch", { url: "u" }), called("webfetch", { url: "u" })],
      "repeated by 1",
    ],
    [
      "a subagent that is asked the same",
      [called("task", { prompt: "p" }), called("task", { prompt: "p" })],
      "repeated by 1",
    ],
    [
      "a server's tool with equal arguments",
      [called("srv_get", { id: 1 }), called("srv_get", { id: 1 })],
      "repeated by 1",
    ],
    [
      "a todo list that was written again",
      [called("todowrite", { todos: [] }), called("todowrite", { todos: [1] })],
      "repeated by 1",
    ],
    [
      "a failed call that succeeded since",
      [failedCall("bash", { command: "x" }), run("x")],
      "repeated by 1",
    ],
    ["an edit whose file was changed again", [edit("a"), edit("a")], "outdated by 1"],
    [
      "a change of two files that were both changed since: by the later change",
      [
        called("apply_patch", { patchText: "*** Update File: a\n*** Add File: b" }),
        edit("b"),
        run("ls"),
        edit("a"),
      ],
      "outdated by 3",
    ],
    [
      "a file that was written and read since: by whichever came first",
      [read("a"), run("ls"), write("a"), read("a")],
      "repeated by 2",
    ],
  ];
  test.each(rows)("%s", (_name, calls, expected) => {
    expect(fate(...calls)).toBe(expected);
  });

  test("one that the host's prune has blanked", () => {
    const time = { start: 1, end: 2, compacted: 3 };
    const state = { status: "completed", input: {}, output: "long", time };
    const part = { type: "tool", tool: "x", callID: "c", state } as unknown as LoosePart;
    expect(fate(part)).toBe("repeated by 0");
  });
});

describe("a result is alive", () => {
  const rows: readonly (readonly [string, readonly LoosePart[]])[] = [
    ["a file of which only another part is read", [read("a"), read("a", { offset: 5, limit: 2 })]],
    ["a file of which a later read shows the beginning", [cut("a", { offset: 50 }), cut("a")]],
    [
      "a file whose later read was cut by us",
      [read("a", { offset: 9 }), called("read", { filePath: "a" }, "x", { outputPaths: ["f"] })],
    ],
    [
      "a file whose later read was cut by the host",
      [read("a", { offset: 9 }), called("read", { filePath: "a" }, "x", { truncated: true })],
    ],
    ["another file", [read("a"), write("b")]],
    [
      "a part of which a later one shows only the end, or the beginning",
      [
        read("a", { offset: 5, limit: 5 }),
        read("a", { offset: 7, limit: 9 }),
        read("a", { offset: 1, limit: 7 }),
      ],
    ],
    ["another command", [run("ls a"), run("ls b")]],
    [
      "a file that a failed call would have changed",
      [read("a"), failedCall("edit", { filePath: "a" })],
    ],
    [
      "a failed call that failed again",
      [failedCall("bash", { command: "x" }), failedCall("bash", { command: "x" })],
    ],
    [
      "a server's tool with other arguments",
      [called("srv_get", { id: 1 }), called("srv_get", { id: 2 })],
    ],
    [
      "a change of two files of which one was changed since",
      [called("apply_patch", { patchText: "*** Update File: a\n*** Add File: b" }), edit("a")],
    ],
  ];
  test.each(rows)("%s", (_name, calls) => {
    expect(fate(...calls)).toBe("alive");
  });
});

test("a call that is not over, or the provider's own, has no result that could go", () => {
  const parts = [open("c1", "running"), open("c2", "pending"), providerExecuted("c3", "x")];
  expect(collectResults([assistant("a1", ...parts)])).toEqual([]);
});

test("the newest of equal calls is always alive, and a death lies behind what it ends", () => {
  const call = fc.constantFrom(
    read("a"),
    cut("a"),
    write("a"),
    edit("a"),
    run("ls"),
    run("ls", "x"),
  );
  fc.assert(
    fc.property(fc.array(call, { maxLength: 12 }), (calls) => {
      const results = collectResults(answers(...calls));
      const dead = findSupersessions(results);
      for (const [partId, { at }] of dead) {
        expect(at).toBeGreaterThan(results.findIndex((result) => result.partId === partId));
      }
      const last = results.at(-1);
      if (last) expect(dead.has(last.partId)).toBe(false);
    }),
  );
});
