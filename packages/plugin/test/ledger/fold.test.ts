import { expect, test } from "bun:test";
import type { Edit } from "../../src/ledger/edit.ts";
import { project, replay } from "../../src/ledger/replay.ts";
import { isSyntheticMessage, isSyntheticPart } from "../../src/ledger/revise.ts";
import {
  assistant,
  done,
  fold,
  insert,
  ledger,
  model,
  omit,
  replace,
  text,
  user,
} from "./history.ts";
import { wire } from "./wire.ts";

const messages = [
  user("u9", text("one")),
  assistant("a9", text("two"), done("c1", "ok")),
  user("u1", text("three")),
  assistant("a1", text("four")),
  user("u2", text("five")),
];

function dormancy(...edits: readonly Edit[]) {
  return [...project(ledger(...edits), messages).dormant].sort(([left], [right]) => left - right);
}

test("a range, by its place in the host's array, becomes a text of the user's message before it", () => {
  const sent = replay(ledger(fold("a9", "a9", "so far")), messages);
  expect(sent.map(isSyntheticMessage)).toEqual([false, false, false, false]);
  expect(wire(sent)).toEqual([
    ...["user: one", "user: so far", "user: three", "assistant: four", "user: five"],
  ]);
  const [first] = sent;
  expect<unknown>(first?.info).toBe(messages[0]?.info);
  expect(first?.parts.map(({ id }) => id)).toEqual(["u9.0", "prt_sr_1"]);
  expect(first?.parts.map(isSyntheticPart)).toEqual([false, true]);
  expect<unknown>(first?.parts[1]).toMatchObject({ messageID: "u9", synthetic: true });
  expect<unknown>(sent.slice(1)).toEqual(messages.slice(2));
});

test("after an answer, it begins the user's message that follows; between answers it is one of its own", () => {
  const answers = [
    messages[0],
    assistant("b1", text("Done.")),
    assistant("b2", done("c1", "ok")),
    user("v1", text("And now?")),
    assistant("b3", text("Done.")),
    assistant("b4", done("c2", "ok")),
    assistant("b5", text("Done, too.")),
    assistant("b6", done("c3", "ok")),
  ].flatMap((message) => message ?? []);
  const sent = replay(ledger(fold("b2", "b2", "x"), fold("b4", "b4", "y"), fold("b6", "b6", "z")), [
    ...answers,
  ]);
  expect(wire(sent)).toEqual([
    ...["user: one", "assistant: Done.", "user: x", "user: And now?", "assistant: Done."],
    ...["user: y", "assistant: Done, too.", "user: z"],
  ]);
  expect(sent.map(({ info }) => info.id)).toEqual([
    ...["u9", "b1", "v1", "b3", "msg_sr_2", "b5", "msg_sr_3"],
  ]);
  expect(sent[2]?.parts.map(({ id }) => id)).toEqual(["prt_sr_1", "v1.0"]);
  expect<unknown>(sent[4]?.info).toEqual({
    id: "msg_sr_2",
    sessionID: "ses",
    role: "user",
    time: { created: 0 },
    agent: "build",
    model,
  });
});

test("records side by side stand in their order, behind the user's words and what is inserted after these", () => {
  const sent = replay(
    ledger(
      fold("a1", "a1", "y"),
      fold("a9", "a9", "x"),
      insert("a9", "news"),
      insert("u1", "more"),
    ),
    messages,
  );
  expect(wire(sent)).toEqual([
    ...["user: one", "user: x", "user: three", "user: more", "user: y", "user: five"],
  ]);
  const both = [fold("a9", "a9", "x"), fold("u1", "a1", "y")] as const;
  expect(wire(replay(ledger(...both), messages))).toEqual([
    ...["user: one", "user: x", "user: y", "user: five"],
  ]);
  expect(replay(ledger(...both), messages)).toHaveLength(2);
});

test("I19: a fold from the beginning leaves the user first", () => {
  expect(wire(replay(ledger(fold("u9", "a9", "so far")), messages))[0]).toBe("user: so far");
  expect(wire(replay(ledger(fold("u9", "u2", "all")), messages))).toEqual(["user: all"]);
});

test("I18: a fold with a missing or reversed range is dormant", () => {
  expect(dormancy(fold("u9", "gone", "x"), fold("gone", "u9", "x"), fold("u2", "u9", "x"))).toEqual(
    [
      [1, "missing"],
      [2, "missing"],
      [3, "unfit"],
    ],
  );
});

test("a fold that reaches out of another at either end takes its place, however short it is", () => {
  const wide = fold("a9", "a1", "wide");
  expect(dormancy(wide, fold("u9", "a9", "before"))).toEqual([[1, "superseded"]]);
  expect(dormancy(wide, fold("a1", "u2", "after"))).toEqual([[1, "superseded"]]);
});

test("a fold within another one is dormant, at its ends too", () => {
  const wide = fold("a9", "a1", "wide");
  for (const narrow of [fold("a9", "u1", "x"), fold("u1", "u1", "x"), fold("u1", "a1", "x")]) {
    expect(dormancy(wide, narrow)).toEqual([[2, "folded"]]);
  }
});

test("a later fold supersedes those that it contains, one of the same range too", () => {
  const edits = [fold("a9", "u1", "x"), fold("a1", "a1", "y"), fold("a9", "a1", "z")] as const;
  expect(wire(replay(ledger(...edits), messages))).toEqual(["user: one", "user: z", "user: five"]);
  expect(dormancy(...edits)).toEqual([
    [1, "superseded"],
    [2, "superseded"],
  ]);
  expect(dormancy(fold("a9", "u1", "x"), fold("a9", "u1", "y"))).toEqual([[1, "superseded"]]);
});

test("of two folds that overlap the later stands", () => {
  const edits = [fold("u9", "u1", "x"), fold("u1", "u2", "y")] as const;
  expect(wire(replay(ledger(...edits), messages))).toEqual([
    "user: one",
    "assistant: two",
    "call: c1",
    "result: c1 ok",
    "user: y",
  ]);
  expect(dormancy(...edits)).toEqual([[1, "superseded"]]);
});

test("folds side by side both stand", () => {
  const edits = ledger(fold("u1", "a1", "y"), fold("u9", "a9", "x"));
  expect(wire(replay(edits, messages))).toEqual(["user: x", "user: y", "user: five"]);
});

test("edits within a folded range vanish with it, a later and smaller fold too", () => {
  const edits = [
    insert("a9", "news"),
    replace("a9.0", "x"),
    omit("u1.0"),
    insert("u2", "kept"),
    fold("a9", "a1", "so far"),
    fold("a9", "u1", "less"),
  ] as const;
  expect(dormancy(...edits)).toEqual([
    [1, "folded"],
    [2, "folded"],
    [3, "folded"],
    [6, "folded"],
  ]);
  expect(wire(replay(ledger(...edits), messages)).slice(1)).toEqual([
    "user: so far",
    "user: five",
    "user: kept",
  ]);
});

test("what follows on an assistant's message stands before the fold that follows", () => {
  const edits = ledger(fold("u1", "a1", "so far"), insert("a9", "news"));
  expect(wire(replay(edits, messages)).slice(-3)).toEqual([
    "added: news",
    "user: so far",
    "user: five",
  ]);
});

test("a record that waits for the user's next message stands before what is inserted after it", () => {
  const history = [
    user("u9", text("one")),
    assistant("a9", text("two")),
    assistant("a1", text("three")),
  ];
  const folded = fold("u9", "u9", "so far");
  expect(wire(replay(ledger(folded), history))).toEqual([
    ...["user: so far", "assistant: two", "assistant: three"],
  ]);
  const edits = ledger(folded, insert("a9", "news"), omit("a9.0"));
  expect(wire(replay(edits, history))).toEqual([
    ...["user: so far", "user: news", "assistant: three"],
  ]);
  expect(replay(edits, history)).toHaveLength(2);
  const next = [...history.slice(0, 2), user("u1", text("four"))];
  expect(wire(replay(edits, next))).toEqual(["user: so far", "user: news", "user: four"]);
});
