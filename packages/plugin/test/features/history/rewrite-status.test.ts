import { describe, expect, test } from "bun:test";
import {
  type CallFigures,
  readRewrites,
  renderDropped,
  renderRewrite,
  renderTail,
  renderTotals,
} from "../../../src/features/history/rewrite-status.ts";
import type { RewriteRecord } from "../../../src/features/history/rewrite-store.ts";
import { renderSection } from "../../../src/features/history/section.ts";
import { rewriteRecord } from "./records.ts";

const NOW = 1_000_000;
const first = { seq: 1, cause: "first", startedAtMs: 1 } as const;
const none = { calls: [], epochs: [first], shown: null };

function call(sentAtMs: number, read = 50_000, epochSeq = 1): CallFigures {
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: read, cacheWriteTokens: 9 };
  return { sentAtMs, epochSeq, usage };
}

const only = (input: Parameters<typeof readRewrites>[0]) => readRewrites(input).rewrites[0];

describe("what a rewrite has saved", () => {
  test("is what the calls since would have read, and those that read nothing would have written", () => {
    const rewrites = [rewriteRecord(2)];
    const pending = { ...call(40), usage: null };
    const calls = [call(5), call(10), call(20), call(30, 0), pending];
    expect(only({ ...none, rewrites, calls })).toMatchObject({
      ...{ state: "holds", calls: 3, savedSoFar: 1_000 + 1_000 + 12_500 },
    });
  });

  test("a cold rewrite spares its own call the writing of it", () => {
    const rewrites = [rewriteRecord(2, { reason: "cold", costTokens: 0 })];
    expect(only({ ...none, rewrites, calls: [call(10), call(20)] })?.savedSoFar).toBe(13_500);
  });

  test("and only its own call, and only a cold one", () => {
    const cold = [rewriteRecord(2, { reason: "cold", costTokens: 0 })];
    expect(only({ ...none, rewrites: cold, calls: [call(20)] })?.savedSoFar).toBe(1_000);
    expect(only({ ...none, rewrites: [rewriteRecord(2)], calls: [call(10)] })?.savedSoFar).toBe(
      1_000,
    );
  });

  test("is not ended by a compaction before it or at its moment, nor by another epoch after it", () => {
    for (const [cause, startedAtMs] of [
      ["compacted", 5],
      ["compacted", 10],
      ["model", 15],
    ] as const) {
      const epochs = [first, { seq: 2, cause, startedAtMs }] as never;
      const status = readRewrites({
        ...{ rewrites: [rewriteRecord(2, { epochSeq: 2 })], epochs, shown: null },
        calls: [call(10, 50_000, 2), call(20, 50_000, 2)],
      });
      expect(status.rewrites[0]).toMatchObject({ state: "holds", calls: 2 });
    }
  });

  test("ends with the host's compaction", () => {
    const compacted = { seq: 7, cause: "compacted", startedAtMs: 25 } as const;
    const calls = [call(10), call(20), call(25, 0, 7), call(30, 50_000, 7)];
    const status = readRewrites({
      ...{ rewrites: [rewriteRecord(2)], calls, epochs: [first, compacted], shown: null },
    });
    expect(status.rewrites[0]).toMatchObject({ state: "over", calls: 2, savedSoFar: 2_000 });
    expect(status).toMatchObject({ savedTokens: 0, droppedParts: 0, savedSoFar: 2_000 });
    expect(renderDropped(status)).toBeNull();
  });
});

describe("a rewrite that an undo took back", () => {
  const fold = rewriteRecord(4, { epochSeq: 3, atMs: 20, folds: 1, drops: 0, foldedMessages: 8 });
  const rewrites = [rewriteRecord(2), fold];
  const folded = { seq: 3, cause: "folded", startedAtMs: 20 } as const;
  const epochs = [first, folded];

  test("is known by its last message, where the host's are known", () => {
    const shown = { epochSeq: 3, entrySeqs: new Set<number>(), messageIds: new Set(["msg_1"]) };
    const status = readRewrites({ rewrites, calls: [call(30)], epochs, shown });
    expect(status.rewrites.map(({ state }) => state)).toEqual(["holds", "undone"]);
    expect(status).toMatchObject({ savedTokens: 10_000, foldedMessages: 0, costTokens: 2_000 });
  });

  test("or by the epoch that the session is in", () => {
    const messageIds = new Set(["msg_1", "msg_4"]);
    const shown = { epochSeq: 1, entrySeqs: new Set<number>(), messageIds };
    const status = readRewrites({ rewrites, calls: [], epochs, shown });
    expect(status.rewrites.map(({ state }) => state)).toEqual(["holds", "undone"]);
  });

  test("without them, by a call that was made in an earlier epoch after it", () => {
    const states = (calls: readonly CallFigures[]) =>
      readRewrites({ rewrites, calls, epochs, shown: null }).rewrites.map(({ state }) => state);
    expect(states([call(20, 1, 3), call(30, 1, 3)])).toEqual(["holds", "holds"]);
    expect(states([call(20, 1, 3), call(30)])).toEqual(["holds", "undone"]);
    expect(states([call(19), call(20)])).toEqual(["holds", "holds"]);
  });
});

describe("in words", () => {
  const calls = [call(10), call(20)];
  const status = readRewrites({
    ...none,
    rewrites: [
      rewriteRecord(2),
      rewriteRecord(5, {
        ...{ atMs: 20, reason: "asked", drops: 1, folds: 1, savedTokens: 5_000 },
        ...{ foldedMessages: 12, foldTokens: 1_214, droppedParts: 1 },
        ...{ regretTokens: 700, sparedTokens: 9_000 },
      }),
    ],
    calls,
  });
  const [one, other] = status.rewrites;
  if (!(one && other)) throw new Error("two rewrites");

  test("each line has when, why, what, price and saving", () => {
    expect(renderRewrite(one, NOW)).toBe(
      "16 min ago, as it paid: 3 parts dropped; cost 2,000, spares 10,000 a call, 2,000 in 2 calls so far",
    );
    expect(renderRewrite({ ...other, costTokens: 0, reason: "cold" }, NOW)).toBe(
      "16 min ago, as the cache was dead: 1 part dropped, older messages folded; free, spares 5,000 a call, 500 in 1 call so far",
    );
    expect(renderRewrite({ ...one, state: "undone", reason: "pressure" }, NOW)).toBe(
      "16 min ago, to fit the window: 3 parts dropped; taken back by an undo",
    );
    expect(renderRewrite({ ...one, state: "over", reason: "asked" }, NOW)).toEndWith(
      "2,000 in 2 calls until the compaction",
    );
  });

  test("what is gone now is what the newest rewrite has left, and spares what all of them do", () => {
    expect(renderDropped(status)).toBe(
      "12 messages folded into a record of about 1,214 tokens, 1 old part dropped. Each call is spared about 15,000 tokens.",
    );
    expect(renderTotals(status)).toBe(
      "2 rewrites cost 4,000 and spared 2,500, in tokens at the price of uncached input.",
    );
  });

  test("a fold alone drops no part, and has no more to say", () => {
    expect(renderRewrite({ ...one, drops: 0, folds: 1 }, NOW)).toStartWith(
      "16 min ago, as it paid: older messages folded; ",
    );
  });

  test("the status has the newest five, and what they spare in a word", () => {
    const many = (count: number, other: Partial<RewriteRecord> = {}) =>
      readRewrites({
        ...none,
        rewrites: Array.from({ length: count }, (_, at) => rewriteRecord(at + 2, other)),
      });
    const five = renderSection(many(5, { foldedMessages: 3 }), NOW);
    expect(five?.text.split("\n")).toHaveLength(8);
    expect(five).toMatchObject({
      short: "spares 50,000 tokens a call",
      mark: { word: "folded", atMs: 10 },
    });
    const seven = renderSection(many(7), NOW);
    expect(seven?.text).toContain("(2 older: `history` on the command line lists them)");
    expect(seven?.mark?.word).toBe("dropped");
    const nothing = renderSection(many(2, { savedTokens: 0 }), NOW);
    expect(nothing?.short).toBe("2 rewrites");
    expect(nothing).not.toHaveProperty("mark");
    expect(renderSection(many(0), NOW)).toBeNull();
  });

  test("the tail says what it has learnt from", () => {
    expect(renderTail(one)).toBe("The newest 6,000 tokens are sent verbatim.");
    expect(renderTail(other)).toEndWith(
      "What was asked for again has lately cost 700, against 9,000 spared.",
    );
  });
});
