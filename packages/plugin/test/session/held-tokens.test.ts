import { expect, test } from "bun:test";
import { estimateMessageTokens } from "../../src/ledger/tokens.ts";
import type { PassFacts } from "../../src/session/pass.ts";
import {
  computeBilledTokens,
  countHeldTokens,
  estimateHeldTokens,
  NO_HELD_TOKENS,
} from "../../src/session/turn-cost.ts";
import { assistant, done, failed, text, user } from "../ledger/history.ts";

test("held of earlier calls are the Baseline, and texts and results up to the last message that was sent", () => {
  const messages = [
    user("u1", text("x".repeat(40)), { type: "step-start" }),
    assistant("a1", done("c1", "y".repeat(80)), failed("c2", "z".repeat(4_000))),
    user("u2", text("w".repeat(400))),
  ];
  const baseline = "b".repeat(20);
  expect([-1, 0, 1, 2].map((end) => estimateHeldTokens(baseline, messages, end))).toEqual([
    5, 15, 35, 135,
  ]);
});

const held = {
  ...{ heldTokens: 10, ownToolTokens: 3, sparedTokens: 100, formerlySparedTokens: 40 },
  rewrite: "this call",
} as const;
const former = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 30, cacheWriteTokens: 400 };
const updates = { announced: 40, carried: 20 };

test("billed as gone is what the history is shorter by, and what updates make it longer", () => {
  expect(computeBilledTokens(held, former, updates)).toEqual({
    ...{ heldTokens: 10, ownToolTokens: 3, droppedTokens: 115, newlyDroppedTokens: 70 },
    rewrittenTokens: 431,
  });
});

test("nothing is gone of a history that is longer, and nothing newly where less is", () => {
  const longer = { ...held, sparedTokens: -100 };
  expect(computeBilledTokens(longer, former, updates)).toMatchObject({
    droppedTokens: 0,
    newlyDroppedTokens: 0,
  });
  const first = { ...held, formerlySparedTokens: -100 };
  expect(computeBilledTokens(first, former, updates)).toMatchObject({ newlyDroppedTokens: 115 });
});

test("what was rewritten is known of the call that rewrote it, where there was one before", () => {
  expect(computeBilledTokens(held, null, updates).rewrittenTokens).toBeNull();
  expect(
    computeBilledTokens({ ...held, rewrite: "none" }, former, updates).rewrittenTokens,
  ).toBeNull();
  const heldAfterRewrite = (atMs: number | null) => {
    const replaced = { made: [], hidden: [] };
    const rewrite = atMs === null ? null : { boundary: "worth", atMs };
    const facts = { startedAtMs: 7, rewrite, replaced, messages: [] } as unknown as PassFacts;
    const sent = { facts, system: { baseline: "" }, formerEnd: -1 };
    return countHeldTokens(sent, null, {
      before: NO_HELD_TOKENS,
      toolTokens: new Map(),
      countTokens: estimateMessageTokens,
    }).rewrite;
  };
  expect([7, 6, null].map(heldAfterRewrite)).toEqual(["this call", "none", "none"]);
});
