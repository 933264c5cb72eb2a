import { describe, expect, test } from "bun:test";
import { isTool } from "../../src/ledger/message.ts";
import { project, replay } from "../../src/ledger/replay.ts";
import {
  assistant,
  done,
  failed,
  ignored,
  image,
  insert,
  interrupted,
  type LoosePart,
  ledger,
  omit,
  open,
  providerExecuted,
  pruned,
  reasoning,
  replace,
  synthetic,
  text,
  user,
  withImage,
} from "./history.ts";
import { wire } from "./wire.ts";

/** The only part of an assistant's message, as it is after `replace` with "new". */
function replaced(part: LoosePart) {
  const messages = [user("u1", text("hello")), assistant("a1", part)];
  return replay(ledger(replace("a1.0", "new")), messages)[1]?.parts[0];
}

describe("replace", () => {
  test("gives a text or reasoning part another text, without what vouched for the former", () => {
    expect<unknown>(replaced({ ...text("old"), metadata: { itemId: "1" } })).toEqual({
      id: "a1.0",
      messageID: "a1",
      sessionID: "ses",
      type: "text",
      text: "new",
    });
    const part = replaced(reasoning("old"));
    expect(part).toMatchObject({ type: "reasoning", text: "new" });
    expect(part).not.toHaveProperty("metadata");
  });

  test("gives a result another output, without attachments and the host's mark of pruning", () => {
    for (const part of [done("c1", "old"), withImage("c1", "old"), pruned("c1", "old")]) {
      const next = replaced(part);
      if (!next || !isTool(next)) throw new Error("no tool part");
      expect(next.callID).toBe("c1");
      expect(next.state).toMatchObject({ status: "completed", output: "new" });
      expect(next.state).not.toHaveProperty("attachments");
      expect(next.state).not.toHaveProperty("time.compacted");
    }
  });

  test("gives a failed call another error, and an interrupted one another output", () => {
    expect(replaced(failed("c1", "old"))).toHaveProperty("state.error", "new");
    expect(replaced(interrupted("c1", "old"))).toHaveProperty("state.metadata", {
      interrupted: true,
      output: "new",
    });
  });

  test("leaves a failed call without output a failed call", () => {
    const next = replaced(failed("c1", "old"));
    if (!next || !isTool(next)) throw new Error("no tool part");
    expect<unknown>(next.state).toEqual({ status: "error", input: {}, error: "new" });
  });

  test("is dormant on a call without a result, a provider's own tool and parts without a text", () => {
    const parts = [
      open("c1", "pending"),
      open("c2", "running"),
      providerExecuted("c3", "encoded"),
      image("x"),
      { type: "step-start" } as const,
    ];
    for (const part of parts) {
      const messages = [user("u1", text("hello")), assistant("a1", part)];
      const projection = project(ledger(replace("a1.0", "new")), messages);
      expect(projection.messages).toBe(messages);
      expect([...projection.dormant]).toEqual([[1, "unfit"]]);
    }
  });
});

describe("omit", () => {
  const messages = [
    user("u1", text("hello"), image("x")),
    assistant("a1", { type: "step-start" }, reasoning("hm"), text("hi"), done("c1", "ok")),
    user("u2", text("go")),
  ];

  test("leaves the part out, a call together with its result", () => {
    const sent = wire(replay(ledger(omit("a1.3")), messages));
    expect(sent.filter((block) => block.includes("c1"))).toEqual([]);
    expect(sent.at(-1)).toBe("user: go");
  });

  test("I19: reasoning that led to nothing else goes along", () => {
    const sent = wire(replay(ledger(omit("a1.2"), omit("a1.3")), messages));
    expect(sent).toEqual(["user: hello", "user file: x", "user: go"]);
  });

  test("I19: a message with nothing left to show is dropped whole", () => {
    const sent = replay(ledger(omit("u2.0")), messages);
    expect(sent.map(({ info }) => info.id)).toEqual(["u1", "a1"]);
    const behind = replay(ledger(omit("a1.2"), omit("a1.3"), insert("a1", "news")), messages);
    expect(behind.map(({ info }) => info.id)).toEqual(["u1", "u2"]);
  });

  test("I19: the first message that shows anything keeps something of its own", () => {
    const edits = ledger(omit("u1.0"), insert("u1", "news"), omit("u1.1"));
    const projection = project(edits, messages);
    expect(wire(projection.messages).slice(0, 2)).toEqual(["user file: x", "user: news"]);
    expect([...projection.dormant]).toEqual([[3, "opening"]]);
    const hidden = [user("u0", ignored("status")), ...messages];
    expect(project(edits, hidden).dormant.get(3)).toBe("opening");
  });

  test("I19: the first message of a user's, whatever stands before it", () => {
    const messages = [assistant("a1", text("before")), user("u1", text("first"))];
    const { messages: sent, dormant } = project(ledger(omit("u1.0")), messages);
    expect([...dormant]).toEqual([[1, "opening"]]);
    expect(sent).toBe(messages);
    expect(replay(ledger(omit("a1.0")), messages).map(({ info }) => info.id)).toEqual(["u1"]);
  });

  test("the host's reminder does not count as something to keep, because it will be gone", () => {
    const reminded = [
      user("u1", text("hello"), synthetic("plan mode")),
      assistant("a1", text("hi")),
    ];
    expect(project(ledger(omit("u1.0")), reminded).dormant.get(1)).toBe("opening");
  });

  test("text that the host does not send does not count as something to show", () => {
    const file = { ...image("x"), mime: "text/plain" };
    const folder = { ...image("x"), mime: "application/x-directory" };
    const opening = user("u1", text("hello"), text(""), ignored("x"), file, folder);
    expect(project(ledger(omit("u1.0")), [opening]).dormant.get(1)).toBe("opening");
    const compaction = user("u1", text("hello"), { type: "compaction" });
    expect(wire(replay(ledger(omit("u1.0")), [compaction]))).toEqual(["user: (compaction)"]);
    const subtask = user("u1", text("hello"), { type: "subtask" });
    expect(wire(replay(ledger(omit("u1.0")), [subtask]))).toEqual(["user: (subtask)"]);
  });
});

describe("several changes of one part", () => {
  const messages = [user("u1", text("hello")), assistant("a1", text("hi"), open("c1", "running"))];

  test("the last that fits stands, from the part as it was", () => {
    const edits = ledger(replace("a1.0", "1"), omit("a1.0"), replace("a1.0", "3"));
    const projection = project(edits, messages);
    expect(wire(projection.messages)[1]).toBe("assistant: 3");
    expect([...projection.dormant]).toEqual([
      [1, "superseded"],
      [2, "superseded"],
    ]);
  });

  test("one that does not fit ends none before it", () => {
    const projection = project(ledger(omit("a1.1"), replace("a1.1", "x")), messages);
    expect(wire(projection.messages)).toEqual(["user: hello", "assistant: hi"]);
    expect([...projection.dormant]).toEqual([[2, "unfit"]]);
  });

  test("I18: a change of a part that is not there is dormant", () => {
    const projection = project(ledger(omit("a1.9"), replace("u9.0", "x")), messages);
    expect(projection.messages).toBe(messages);
    expect([...projection.dormant]).toEqual([
      [2, "missing"],
      [1, "missing"],
    ]);
  });
});
