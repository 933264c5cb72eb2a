import { describe, expect, test } from "bun:test";
import type { SessionMessage } from "../../src/session/history.ts";
import { compareWithSent, createSentMessages } from "../../src/session/sent-messages.ts";

function message(id: string): SessionMessage {
  const model = { providerID: "mock", modelID: "opus" };
  const time = { created: 1 };
  return {
    info: { id, sessionID: "ses_1", role: "user", agent: "build", model, time },
    parts: [],
  };
}

const messages = (ids: string) => [...ids].map(message);
const text = (found: readonly { readonly info: { readonly id: string } }[]) =>
  found.map(({ info }) => info.id).join("");

describe("what a call sends for the first time", () => {
  for (const [name, history, now, unsent] of [
    ["at first all of it", "", "abc", "abc"],
    ["of an empty history nothing", "", "", ""],
    ["nothing, where nothing has changed", "abc", "abc", ""],
    ["what has come at the end", "abc", "abcde", "de"],
    ["what came in between, and not what follows it", "abc", "axbc", "x"],
    ["nothing of what an undo has left", "abc", "ab", ""],
    ["what stands in the place of what was undone", "abc", "abd", "d"],
    ["nothing of a history in another order", "abc", "cba", ""],
  ] as const) {
    test(name, () => {
      const sent = { epochSeq: 1, ids: new Set([...history, "elsewhere"]), history: [...history] };
      const compared = compareWithSent(messages(now), sent);
      expect(text(compared.unsent)).toBe(unsent);
      expect(compared.historyIds.join("")).toBe(now);
    });
  }

  test("what was sent before an undo is not sent for the first time when it comes back", () => {
    const sent = { epochSeq: 1, ids: new Set("abc"), history: ["a"] };
    expect(text(compareWithSent(messages("abc"), sent).unsent)).toBe("");
  });

  test("in a process that has sent nothing yet, what the database knows counts", () => {
    const { epochSeq, history, ids } = createSentMessages(1);
    expect([epochSeq, [...ids], history]).toEqual([1, [], []]);
    const compared = compareWithSent(messages("ab"), { epochSeq, history, ids: new Set("a") });
    expect(text(compared.unsent)).toBe("b");
  });
});
