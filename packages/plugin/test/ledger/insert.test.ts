import { describe, expect, test } from "bun:test";
import type { Edit } from "../../src/ledger/edit.ts";
import { type HostMessage, hasEnded, readResultText } from "../../src/ledger/message.ts";
import { project, replay } from "../../src/ledger/replay.ts";
import { collectShownPartIds } from "../../src/ledger/revise.ts";
import {
  assistant,
  done,
  failed,
  ignored,
  insert,
  interrupted,
  ledger,
  model,
  omit,
  open,
  providerExecuted,
  pruned,
  replace,
  synthetic,
  text,
  user,
  withImage,
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

describe("insert after an assistant's message with results", () => {
  const messages = [
    user("u1", text("hello")),
    assistant("a1", text("hi"), done("c1", "ok"), failed("c2", "no")),
    assistant("a2", text("bye")),
  ];
  const replayWire = (edits: readonly Edit[], history: readonly HostMessage[] = messages) =>
    wire(replay(ledger(...edits), history));

  test("it stands at the end of the newest result, after what the tool said", () => {
    const [, answer] = replay(ledger(insert("a1.0", "news"), insert("a1", "more")), messages);
    const [, , last] = answer?.parts ?? [];
    expect<unknown>(last).toEqual({
      ...messages[1]?.parts[2],
      added: "\n\nnews\n\nmore",
      state: { status: "error", input: {}, error: "no\n\nnews\n\nmore" },
    });
    expect(last && hasEnded(last) ? readResultText(last) : null).toBe("no");
    expect(answer?.parts.slice(0, 2)).toEqual(messages[1]?.parts.slice(0, 2) ?? []);
  });

  test("what an interrupted call came to holds it too, where the host sends that", () => {
    const cut = [messages[0], assistant("a1", interrupted("c1", "half"))].flatMap((it) => it ?? []);
    const [, answer] = replay(ledger(insert("a1", "news")), cut);
    expect<unknown>(answer?.parts[0]).toMatchObject({
      state: { error: "Tool execution aborted\n\nnews", metadata: { output: "half\n\nnews" } },
    });
  });

  test("a result that is replaced keeps it, and a second replay adds nothing", () => {
    const edits = [insert("a1", "news"), replace("a1.2", "[dropped]")];
    const blocks = ["result: c2 error: [dropped]", "added: news", "assistant: bye"];
    expect(replayWire(edits).slice(-3)).toEqual(blocks);
    const once = replay(ledger(...edits), messages);
    expect(replay(ledger(...edits), once)).toEqual(once);
    expect(replay(ledger(insert("a1", "news")), once)).toBe(once);
  });

  test("what a tool said was shown, whatever was put after it; what was replaced was not", () => {
    const shown = (...edits: readonly Edit[]) =>
      collectShownPartIds({ host: messages, sent: replay(ledger(...edits), messages) });
    expect(shown(insert("a1", "news")).has("a1.2")).toBe(true);
    expect(shown(insert("a1", "news"), replace("a1.2", "[dropped]")).has("a1.2")).toBe(false);
    const pictured = [user("u1", text("hello")), assistant("a1", withImage("c1", "shot"))];
    const edits = ledger(insert("a1", "news"), replace("a1.0", "shot"));
    const sent = replay(edits, pictured);
    expect(collectShownPartIds({ host: pictured, sent }).has("a1.0")).toBe(false);
  });

  test("a provider's own, an open and a blanked one, and one of a failed call hold nothing", () => {
    const failedCall = assistant("a1", done("c1", "ok"));
    const error = { name: "APIError" };
    const answers = [
      assistant("a1", providerExecuted("c1", "ok")),
      assistant("a1", done("c0", "ok"), open("c1", "running")),
      assistant("a1", pruned("c1", "ok")),
      { ...failedCall, info: { ...failedCall.info, error } },
    ];
    for (const answer of answers) {
      const history = [user("u1", text("hello")), answer, user("u2", text("go"))];
      expect(replayWire([insert("a1", "news")], history).slice(-2)).toEqual([
        "user: news",
        "user: go",
      ]);
    }
    const aborted = { ...failedCall.info, error: { name: "MessageAbortedError" } };
    const history = [user("u1", text("hello")), { ...failedCall, info: aborted }];
    expect(replayWire([insert("a1", "news")], history).at(-1)).toBe("added: news");
  });

  test("I18: a part that is not in the message makes it dormant", () => {
    const { messages: sent, dormant } = project(ledger(insert("a1.7", "news")), messages);
    expect(sent).toBe(messages);
    expect([...dormant]).toEqual([[1, "missing"]]);
  });
});

describe("insert after an assistant's message without a result", () => {
  const asked = user("u1", text("hello"));
  const said = assistant("a1", text("hi"));
  const edits = ledger(insert("a1", "1"), insert("a1.0", "2"));

  test("it begins the user's message that follows, in the order of the ledger", () => {
    const next = user("u3", text("go"));
    const sent = replay(edits, [asked, said, user("u2", ignored("hidden")), next]);
    expect(sent.map(({ info }) => info.id)).toEqual(["u1", "a1", "u2", "u3"]);
    expect<unknown>(sent[3]?.parts).toEqual([
      { ...synthetic("1"), id: "prt_sr_1", messageID: "u3", sessionID: "ses" },
      { ...synthetic("2"), id: "prt_sr_2", messageID: "u3", sessionID: "ses" },
      next.parts[0],
    ]);
    expect(replay(edits, sent)).toEqual(sent);
  });

  test("it begins one that is left empty only with what else is put into it", () => {
    const emptied = user("u2", text("go"));
    const go = [asked, said, emptied, user("u3", text("on"))];
    const sent = replay([...edits, { seq: 3, edit: omit("u2.0") }], go);
    expect(sent.map(({ info }) => info.id)).toEqual(["u1", "a1", "u3"]);
    const held = replay(ledger(insert("a1", "1"), omit("u2.0"), insert("u2", "more")), go);
    expect(wire(held)).toEqual([
      "user: hello",
      "assistant: hi",
      "user: 1",
      "user: more",
      "user: on",
    ]);
  });

  test("at the end it is one user message of its own, with the agent and model of the user's before", () => {
    const sent = replay(edits, [asked, said]);
    const place = { messageID: "msg_sr_1", sessionID: "ses" };
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
        { ...synthetic("1"), id: "prt_sr_1", ...place },
        { ...synthetic("2"), id: "prt_sr_2", ...place },
      ],
    });
    expect(replay(edits, sent)).toEqual(sent);
  });

  test("so it is before another answer; one that the host does not send counts as none", () => {
    const failedCall = assistant("a2", text("half"));
    const unsent = { ...failedCall, info: { ...failedCall.info, error: { name: "APIError" } } };
    const answered = [asked, said, unsent, assistant("a3", text("bye"))];
    expect(replay(edits, answered).map(({ info }) => info.id)).toEqual([
      ...["u1", "a1", "a2", "msg_sr_1", "a3"],
    ]);
    const prompted = replay(edits, [asked, said, unsent, user("u2", text("go"))]);
    expect(prompted.map(({ info }) => info.id)).toEqual(["u1", "a1", "a2", "u2"]);
  });

  test("after an answer that is not sent it ends the user's message before", () => {
    const empty = assistant("a1");
    const sent = replay(ledger(insert("a1", "news")), [asked, empty]);
    expect(sent.map(({ info }) => info.id)).toEqual(["u1", "a1"]);
    expect(wire(sent)).toEqual(["user: hello", "user: news"]);
    expect(replay(ledger(insert("a1", "news")), sent)).toEqual(sent);
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
});
