import { describe, expect, test } from "bun:test";
import {
  classifyTool,
  isHarmless,
  listIdentifyingArguments,
  namesOneFile,
  type ToolKind,
} from "../../src/ledger/host-tools.ts";
import { hasEnded, readResultText } from "../../src/ledger/message.ts";
import { assistant, done, failed, open, text } from "./history.ts";

describe("the host's tools", () => {
  const byKind: readonly (readonly [ToolKind, string, "harmless" | "may change something"])[] = [
    ["read", "read", "harmless"],
    ["look", "grep", "harmless"],
    ["look", "webfetch", "harmless"],
    ["question", "question", "harmless"],
    ["plan handed over", "plan_exit", "may change something"],
    ["skill", "skill", "harmless"],
    ["todos written", "todowrite", "harmless"],
    ["todos read", "todoread", "harmless"],
    ["write", "write", "may change something"],
    ["edit", "apply_patch", "may change something"],
    ["run", "bash", "may change something"],
    ["other", "task", "may change something"],
    ["other", "db_query", "may change something"],
    ["other", "constructor", "may change something"],
  ];
  test.each(byKind)("%s: %s is %s", (kind, name, effect) => {
    expect(classifyTool(name)).toBe(kind);
    expect(isHarmless(name)).toBe(effect === "harmless");
  });

  test("are named with one file where their words hold nothing else", () => {
    expect(["read", "write", "edit", "patch"].every(namesOneFile)).toBe(true);
    expect(["grep", "bash", "multiedit", "db_query"].some(namesOneFile)).toBe(false);
  });

  test("say by their arguments what a call is about; of others nothing is known", () => {
    expect(listIdentifyingArguments("grep")).toEqual(["pattern", "include", "path"]);
    expect(listIdentifyingArguments("todoread")).toBeNull();
    expect(listIdentifyingArguments("db_query")).toBeNull();
  });
});

test("a call is over with its output or its error, and its result is either", () => {
  const parts = [
    text("Hello"),
    open("call_1", "pending"),
    open("call_2", "running"),
    done("call_3", "3 files"),
    failed("call_4", "no such file"),
  ];
  const ended = assistant("msg_1", ...parts).parts.filter(hasEnded);
  expect(ended.map(({ callID }) => callID)).toEqual(["call_3", "call_4"]);
  expect(ended.map(readResultText)).toEqual(["3 files", "no such file"]);
});
