import { describe, expect, test } from "bun:test";
import type { HostPart } from "../../src/ledger/message.ts";
import { classifyHead, type SessionMessage } from "../../src/session/history.ts";
import { done, text, user } from "../ledger/history.ts";

const asked = user("u1", { type: "compaction" }, text("What did we do so far?"));

function summary(info: object = {}, parts: readonly HostPart[] = []) {
  const finished = { role: "assistant", parentID: "u1", summary: true, finish: "stop" };
  return { info: { id: "a1", sessionID: "ses", ...finished, ...info }, parts };
}

const of = (...rows: readonly object[]) => rows as readonly SessionMessage[];

describe("what the first rows of the host's array say of a compaction", () => {
  const broken: readonly (readonly [string, object])[] = [
    ["no answer", {}],
    ["a prompt in the place of the answer", summary({ role: "user" })],
    ["an answer that is no summary", summary({ summary: undefined })],
    ["a summary that is not finished", summary({ finish: undefined })],
    ["a summary that failed", summary({ error: { name: "APIError" } })],
    ["a summary that answers another row", summary({ parentID: "u0" })],
  ];
  test.each(broken)("it is broken: %s", (_what, second) => {
    const rows = "info" in second ? of(asked, second) : of(asked);
    expect(classifyHead(rows)).toEqual({ kind: "broken" });
  });

  test("there is none, in an empty history and where the first row asks for none", () => {
    for (const rows of [of(), of(user("u1", text("hello")), summary())]) {
      expect(classifyHead(rows)).toEqual({ kind: "whole" });
    }
  });

  test("it is finished: by its row and the summary's, with the summary's texts and nothing else of it", () => {
    const { parts } = user("a1", text("First."), done("c1", "no text"), text("Second."));
    const rows = of(asked, summary({}, parts));
    expect(classifyHead(rows)).toEqual({
      ...{ kind: "compacted", compactionId: "u1", summaryId: "a1" },
      summary: "First.\nSecond.",
    });
  });
});
