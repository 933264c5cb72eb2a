import { describe, expect, test } from "bun:test";
import { isClosingAnswer, isDialogue } from "../../src/history/results.ts";
import type { HostMessage } from "../../src/ledger/message.ts";
import {
  assistant,
  done,
  failed,
  ignored,
  image,
  type LoosePart,
  open,
  providerExecuted,
  reasoning,
  synthetic,
  text,
  user,
} from "../ledger/history.ts";

describe("words of a conversation", () => {
  test("are the user's messages, whatever stands in them", () => {
    const parts: readonly LoosePart[] = [
      ...[text("Do it."), synthetic("a reminder"), image("x")],
      ...[{ type: "subtask" } as const, { type: "compaction" } as const],
    ];
    for (const part of parts) expect(isDialogue(user("u", part))).toBe(true);
    // The host sends nothing for these.
    for (const message of [user("u"), user("u", text("")), user("u", ignored("a note"))]) {
      expect(isDialogue(message)).toBe(false);
    }
    expect(isClosingAnswer(user("u", text("Do it.")))).toBe(false);
  });

  test("are answers with words and without calls", () => {
    const frame = [{ type: "step-start" }, { type: "step-finish" }] as const;
    const closings: readonly (readonly LoosePart[])[] = [
      [text("It is done.")],
      [frame[0], reasoning("I think."), text("It is done."), frame[1]],
      [text(" "), text("It is done.")],
    ];
    for (const parts of closings) {
      expect(isClosingAnswer(assistant("a", ...parts))).toBe(true);
      expect(isDialogue(assistant("a", ...parts))).toBe(true);
    }
    const withError = (name: string) => {
      const { info, parts } = assistant("a", text("It is done."));
      return { parts, info: { ...info, error: { name } } } as HostMessage;
    };
    // Of an answer whose call failed the host sends nothing, of one that was aborted what came of it.
    expect(isDialogue(withError("MessageAbortedError"))).toBe(true);
    expect(isDialogue(withError("APIError"))).toBe(false);
    const works: readonly (readonly LoosePart[])[] = [
      ...[[], [text("")], [text(" \n")], [ignored("It is done.")], [reasoning("I think.")], frame],
      ...[
        done("c", "ok"),
        failed("c", "no"),
        open("c", "running"),
        providerExecuted("c", "ok"),
      ].map((call) => [text("I look."), call]),
    ];
    for (const parts of works) expect(isDialogue(assistant("a", ...parts))).toBe(false);
  });
});
