import { expect, test } from "bun:test";
import { holdPruned } from "../../src/ledger/prune.ts";
import { replay } from "../../src/ledger/replay.ts";
import {
  assistant,
  deepFreeze,
  done,
  failed,
  ledger,
  pruned,
  replace,
  text,
  user,
} from "./history.ts";
import { wire } from "./wire.ts";

const placeholder = "[Old tool result content cleared]";

test("a history without pruned results passes by reference", () => {
  const messages = deepFreeze([user("u1", text("x")), assistant("a1", done("c1", "ok"))]);
  expect(holdPruned(messages)).toBe(messages);
});

test("a pruned result is shown as it was sent, its neighbours pass by reference", () => {
  const before = [user("u1", text("x")), assistant("a1", done("c1", "ok"), failed("c2", "no"))];
  const after = deepFreeze([
    user("u1", text("x")),
    assistant("a1", pruned("c1", "ok"), failed("c2", "no")),
  ]);
  expect(wire(after)).not.toEqual(wire(before));
  const held = holdPruned(after);
  expect(wire(held)).toEqual(wire(before));
  expect(held[0]).toBe(after[0]);
  expect(held[1]?.parts[1]).toBe(after[1]?.parts[1]);
});

test("the placeholder comes through as a replace, and is the host's own form of the result", () => {
  const messages = deepFreeze([user("u1", text("x")), assistant("a1", pruned("c1", "ok"))]);
  const admitted = ledger(replace("a1.0", placeholder));
  expect(wire(replay(admitted, holdPruned(messages)))).toEqual(wire(messages));
  expect(wire(replay(admitted, messages))).toEqual(wire(messages));
});
