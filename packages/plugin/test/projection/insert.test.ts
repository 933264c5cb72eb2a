import { describe, expect, test } from "bun:test";
import { project, replay } from "../../src/projection/replay.ts";
import {
  assistant,
  done,
  fold,
  ignored,
  insert,
  ledger,
  model,
  omit,
  replace,
  synthetic,
  text,
  user,
} from "./history.ts";
import { wire } from "./wire.ts";

describe("insert into a user's message", () => {
  const messages = [user("u1", text("hello"), text("world")), assistant("a1", text("hi"))];

  test("a further synthetic text part stands right behind the part that it follows", () => {
    const [first, second] = replay(ledger(insert("u1.0", "news")), messages);
    expect<unknown>(first?.parts).toEqual([
      messages[0]?.parts[0],
      {
        id: "prt_sr_1",
        messageID: "u1",
        sessionID: "ses",
        type: "text",
        text: "news",
        synthetic: true,
      },
      messages[0]?.parts[1],
    ]);
    expect<unknown>(second).toBe(messages[1]);
  });

  test("after the message as a whole it stands behind the last part", () => {
    const sent = replay(ledger(insert("u1", "news")), messages);
    expect(wire(sent)).toEqual(["user: hello", "user: world", "user: news", "assistant: hi"]);
  });

  test("several at one place stand in the order of the ledger, however they name the place", () => {
    const edits = ledger(
      insert("u1", "1"),
      insert("u1.1", "2"),
      insert("u1.0", "0"),
      insert("u1", "3"),
    );
    expect(wire(replay(edits, messages)).slice(0, 6)).toEqual([
      "user: hello",
      "user: 0",
      "user: world",
      "user: 1",
      "user: 2",
      "user: 3",
    ]);
  });

  test("a message without parts gets the text as its only one", () => {
    expect(wire(replay(ledger(insert("u2", "news")), [...messages, user("u2")])).at(-1)).toBe(
      "user: news",
    );
  });

  test("the texts stay where the part that they follow is omitted or replaced", () => {
    const edits = ledger(insert("u1.0", "news"), omit("u1.0"), replace("u1.1", "all"));
    expect(wire(replay(edits, messages))).toEqual(["user: news", "user: all", "assistant: hi"]);
  });
});

describe("an insert whose text already stands there does nothing", () => {
  const edits = ledger(insert("u1.0", "plan mode"), insert("u1", "news"));
  const persisted = [user("u1", text("hello"))];
  const reminded = [user("u1", text("hello"), synthetic("plan mode"))];

  test("the host's own reminder has one place, whether it is there or gone", () => {
    expect(wire(replay(edits, reminded))).toEqual(["user: hello", "user: plan mode", "user: news"]);
    expect(wire(replay(edits, persisted))).toEqual(wire(replay(edits, reminded)));
    expect(project(edits, reminded).dormant.size).toBe(0);
  });

  test("a history in which all of them stand is passed by reference", () => {
    const whole = [user("u1", text("hello"), synthetic("plan mode"), synthetic("news"))];
    expect(replay(edits, whole)).toBe(whole);
    expect(replay(ledger(insert("u1", "news")), whole)).toBe(whole);
  });

  test("an insert behind the part that stands there follows those behind the place itself", () => {
    const more = ledger(insert("u1.0", "plan mode"), insert("u1.0", "a"), insert("u1.1", "b"));
    expect(wire(replay(more, reminded)).slice(1)).toEqual([
      "user: plan mode",
      "user: a",
      "user: b",
    ]);
  });

  test("a part is taken for one insert only", () => {
    const twice = ledger(insert("u1.0", "plan mode"), insert("u1.0", "plan mode"));
    expect(wire(replay(twice, reminded))).toEqual(wire(replay(twice, persisted)));
  });

  test("a reminder that is all there is of a message is held too", () => {
    const held = ledger(insert("u2", "plan mode"), insert("u2", "news"));
    const sent = ["user: plan mode", "user: news"];
    expect(wire(replay(held, [user("u2", synthetic("plan mode"))]))).toEqual(sent);
    expect(wire(replay(held, [user("u2")]))).toEqual(sent);
  });

  test("an ignored part, an omitted one and another kind of part do not count", () => {
    const hidden = [user("u1", text("hello"), ignored("plan mode"))];
    expect(wire(replay(edits, hidden))).toEqual(["user: hello", "user: plan mode", "user: news"]);
    const gone = ledger(insert("u1.0", "plan mode"), omit("u1.1"));
    expect(wire(replay(gone, reminded))).toEqual(["user: hello", "user: plan mode"]);
    const other = [user("u1", text("hello"), { type: "compaction" })];
    expect(wire(replay(ledger(insert("u1.0", "compaction")), other))).toEqual([
      "user: hello",
      "user: compaction",
      "user: (compaction)",
    ]);
  });

  test("a second replay over the same array adds nothing", () => {
    const all = ledger(
      insert("u1", "a"),
      insert("u1", "b"),
      insert("a1", "c"),
      insert("a1.0", "d"),
    );
    const messages = [user("u1", text("hello")), assistant("a1", text("hi"))];
    const once = replay(all, messages);
    expect(replay(all, once)).toEqual(once);
  });
});

describe("insert after an assistant's message", () => {
  const messages = [
    user("u1", text("hello")),
    assistant("a1", text("hi"), done("c1", "ok")),
    assistant("a2", text("bye")),
  ];

  test("a user message of its own stands behind it, with the agent and model of the user's before", () => {
    const sent = replay(ledger(insert("a1.0", "news")), messages);
    expect(sent.map(({ info }) => info.id)).toEqual(["u1", "a1", "msg_sr_1", "a2"]);
    expect<unknown>(sent[2]).toEqual({
      info: {
        id: "msg_sr_1",
        sessionID: "ses",
        role: "user",
        time: { created: 0 },
        agent: "build",
        model,
      },
      parts: [
        {
          id: "prt_sr_1",
          messageID: "msg_sr_1",
          sessionID: "ses",
          type: "text",
          text: "news",
          synthetic: true,
        },
      ],
    });
  });

  test("several stand in the order of the ledger, at the end of the history as elsewhere", () => {
    const edits = ledger(insert("a2", "1"), insert("a2.0", "2"), insert("a1.1", "0"));
    expect(wire(replay(edits, messages)).slice(4)).toEqual([
      "user: 0",
      "assistant: bye",
      "user: 1",
      "user: 2",
    ]);
  });

  test("I18: a part that is not in the message makes it dormant", () => {
    const edits = ledger(insert("a1.7", "news"));
    const { messages: sent, dormant } = project(edits, messages);
    expect(sent).toBe(messages);
    expect([...dormant]).toEqual([[1, "missing"]]);
  });

  test("without a user's message before, the new one has no agent and no model", () => {
    const [, made] = replay(ledger(insert("a0", "news")), [assistant("a0", text("hi"))]);
    expect<unknown>(made?.info).toEqual({
      id: "msg_sr_1",
      sessionID: "ses",
      role: "user",
      time: { created: 0 },
    });
  });

  test("a message that is just the text already is left as it is", () => {
    const standing = [
      messages[0],
      messages[1],
      user("u2", synthetic("news")),
      user("u3", text("go")),
    ];
    const history = standing.flatMap((message) => message ?? []);
    expect(replay(ledger(insert("a1", "news")), history)).toBe(history);
    const more = ledger(insert("a1", "first"), insert("a1", "news"), insert("a1", "last"));
    expect(wire(replay(more, history)).slice(4)).toEqual([
      "user: first",
      "user: news",
      "user: last",
      "user: go",
    ]);
  });

  test("what a user wrote, a message of more than the text, and an altered one do not count", () => {
    const next = [
      user("u2", text("news")),
      user("u2", synthetic("news"), text("and more")),
      user("u2"),
      user("u2", synthetic("old")),
      user("u2", { ...ignored("news"), synthetic: true }),
      user("u2", { type: "compaction" }),
      assistant("u2", synthetic("news")),
    ];
    for (const message of next) {
      const history = [...messages.slice(0, 2), message];
      expect(replay(ledger(insert("a1", "news")), history)).toHaveLength(4);
    }
    const history = [
      ...messages.slice(0, 2),
      user("u2", synthetic("news")),
      user("u3", text("go")),
    ];
    for (const alteration of [replace("u2.0", "x"), fold("u2", "u3", "x")]) {
      const sent = wire(replay(ledger(insert("a1", "news"), alteration), history));
      expect(sent.slice(4, 6)).toEqual(["user: news", "user: x"]);
    }
  });
});
