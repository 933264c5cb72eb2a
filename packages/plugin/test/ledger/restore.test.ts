import { expect, test } from "bun:test";
import type { Edit } from "../../src/ledger/edit.ts";
import { project, replay } from "../../src/ledger/replay.ts";
import {
  assistant,
  done,
  fold,
  image,
  ledger,
  omit,
  replace,
  restore,
  text,
  user,
} from "./history.ts";
import { wire } from "./wire.ts";

const messages = [
  user("u1", text("one")),
  assistant("a1", done("c1", "first")),
  assistant("a2", done("c2", "second"), text("said")),
  assistant("a3", done("c3", "third")),
  assistant("a4", text("closed")),
  user("u2", text("two")),
];

function dormancy(...edits: readonly Edit[]) {
  return [...project(ledger(...edits), messages).dormant];
}

test("what was replaced or omitted is as the host has it, and the change stands no more", () => {
  const edits = [replace("a2.0", "gone"), omit("a2.1"), restore("a2.0"), restore("a2.1")];
  expect(replay(ledger(...edits), messages)).toEqual(messages);
  expect(dormancy(...edits)).toEqual([
    [1, "superseded"],
    [2, "superseded"],
  ]);
});

test("a later change stands in its stead", () => {
  const edits = [restore("a2.0"), replace("a2.0", "gone")];
  expect(wire(replay(ledger(...edits), messages))).toContain("result: c2 gone");
  expect(dormancy(...edits)).toEqual([[1, "superseded"]]);
});

test("a fold over its message ends, and folds around it stand", () => {
  const edits = [
    fold("a1", "a3", "all"),
    restore("a2.0"),
    fold("a1", "a1", "before"),
    { ...fold("a3", "a3", "after"), joins: "prompt" } as const,
  ];
  expect(wire(replay(ledger(...edits), messages))).toEqual([
    ...["user: one", "user: before", "user: after", "call: c2", "assistant: said"],
    ...["result: c2 second", "assistant: closed", "user: two"],
  ]);
  expect(dormancy(...edits)).toEqual([[1, "superseded"]]);
});

test("a fold that comes later takes it along; without its message it is dormant", () => {
  expect(dormancy(restore("a2.0"), fold("a1", "a3", "all"))).toEqual([[1, "folded"]]);
  expect(dormancy(restore("gone.0"))).toEqual([[1, "missing"]]);
});

test("kept or released, the bytes are the same, and a replay of what is sent changes nothing", () => {
  const edits = (hold: "kept" | "free") => ledger(replace("a2.0", "gone"), restore("a2.0", hold));
  const kept = replay(edits("kept"), messages);
  expect(kept).toEqual(replay(edits("free"), messages));
  expect(replay(edits("kept"), kept)).toEqual(kept);
});

test("a picture that was left out is sent again", () => {
  const shown = [user("u1", text("look"), image("x"))];
  expect(replay(ledger(omit("u1.1"), restore("u1.1")), shown)).toEqual(shown);
});
