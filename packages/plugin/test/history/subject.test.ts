import { expect, test } from "bun:test";
import { toCallFacts } from "../../src/history/measured-history.ts";
import { isTool } from "../../src/ledger/message.ts";
import { answers, called } from "./calls.ts";

function collectCallFacts(tool: string, input: object) {
  const part = answers(called(tool, input))[0]?.parts[0];
  if (!part || !isTool(part)) throw new Error("no call");
  return toCallFacts(part);
}

const patch = "*** Update File: ./a.ts\n+x\n*** Move to: b.ts\n*** Delete File: c.ts\nplain";
const whole = { from: 1, to: Number.POSITIVE_INFINITY };

test.each([
  ["read", { filePath: "./a.ts" }, { kind: "read", path: "a.ts", lines: whole }],
  ["read", { filePath: "a", offset: 5 }, { kind: "read", path: "a", lines: { ...whole, from: 5 } }],
  [
    "read",
    { filePath: "a", offset: 0, limit: 9 },
    { kind: "read", path: "a", lines: { from: 1, to: 9 } },
  ],
  [
    "read",
    { filePath: "a", offset: 5, limit: 3 },
    { kind: "read", path: "a", lines: { from: 5, to: 7 } },
  ],
  ["read", { filePath: "" }, { kind: "other" }],
  ["read", {}, { kind: "other" }],
  ["write", { filePath: "src\\a.ts" }, { kind: "change", paths: ["src/a.ts"], extent: "whole" }],
  ["edit", { filePath: "a.ts" }, { kind: "change", paths: ["a.ts"], extent: "part" }],
  [
    "apply_patch",
    { patchText: patch },
    { kind: "change", paths: ["a.ts", "b.ts", "c.ts"], extent: "part" },
  ],
  ["apply_patch", { patchText: "nothing" }, { kind: "other" }],
  ["bash", { command: " ls \n" }, { kind: "run", command: "ls" }],
  ["bash", { command: 7 }, { kind: "other" }],
  ["todowrite", { todos: [] }, { kind: "todos" }],
  ["skill", { name: "review" }, { kind: "skill", name: "review" }],
  ["skill", {}, { kind: "skill", name: "" }],
  ["grep", { pattern: "x" }, { kind: "other" }],
  ["srv_get", { id: 1 }, { kind: "other" }],
] as const)("%s %p is about %p", (tool, input, subject) => {
  expect(collectCallFacts(tool, input).subject).toEqual(subject as never);
});

test("calls are equal by tool and arguments, in whatever order; of a command what it is for doesn't count", () => {
  const key = (tool: string, input: object) => collectCallFacts(tool, input).key;
  expect(key("grep", { a: 1, b: 2 })).toBe(key("grep", { b: 2, a: 1 }));
  expect(key("grep", { a: 1 })).not.toBe(key("glob", { a: 1 }));
  expect(key("grep", { a: 1 })).not.toBe(key("grep", { a: 2 }));
  const ls = { command: "ls", description: "one" };
  expect(key("bash", ls)).toBe(key("bash", { ...ls, description: "two" }));
  expect(key("task", ls)).not.toBe(key("task", { ...ls, description: "two" }));
});
