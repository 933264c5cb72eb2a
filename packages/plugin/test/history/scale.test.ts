import { describe, expect, test } from "bun:test";
import { measureHistory, measureParts } from "../../src/history/measured-history.ts";
import { computeScale, measureScale, sumTokens } from "../../src/history/scale.ts";
import type { HostMessage } from "../../src/ledger/message.ts";
import { estimateMessageTokens } from "../../src/ledger/tokens.ts";
import { assistant, text, user } from "../ledger/history.ts";
import { SimulatedSession } from "./simulation.ts";

/** Answers whose calls report so many tokens for each of ours. */
function reporting(scale: number, count = 8): readonly HostMessage[] {
  let before = 0;
  return Array.from({ length: count }, (_, index): readonly HostMessage[] => {
    const prompt = user(`u${index}`, text("x".repeat(4_000)));
    before += estimateMessageTokens(prompt);
    const tokens = { input: 5_000 + before * scale, output: 1, cache: { read: 0, write: 0 } };
    const answer = assistant(`a${index}`, text("done"));
    before += estimateMessageTokens(answer);
    return [prompt, { ...answer, info: { ...answer.info, tokens } as HostMessage["info"] }];
  }).flat();
}

describe("our tokens against the provider's", () => {
  test("go by the usual growth from call to call, whatever stands before all of them", () => {
    expect(measureScale({ projected: reporting(1) })).toBeCloseTo(1);
    expect(measureScale({ projected: reporting(1.4) })).toBeCloseTo(1.4);
    expect(measureScale({ projected: reporting(0.7) })).toBeCloseTo(0.7);
  });

  test("go by messages that are measured already as by those that are not", () => {
    const grown = [...reporting(1.9, 40), ...reporting(1.2, 12)];
    for (const messages of [[], reporting(1.4), grown]) {
      const sheet = measureHistory({ messages, projected: messages, standing: [] }, measureParts);
      expect(computeScale(sheet)).toBe(measureScale({ projected: messages }));
    }
  });

  test("are taken as they are where nothing is known", () => {
    expect(measureScale({ projected: [] })).toBe(1);
    expect(measureScale({ projected: reporting(1, 1) })).toBe(1);
  });

  test("go by steps of some size: between small ones anything may lie", () => {
    const small = (chars: number) => {
      let before = 0;
      return Array.from({ length: 8 }, (_, index): readonly HostMessage[] => {
        const prompt = user(`u${index}`, text("x".repeat(chars)));
        const answer = assistant(`a${index}`, text(""));
        before += estimateMessageTokens(prompt);
        const tokens = { input: 1.8 * before, output: 1, cache: { read: 0, write: 0 } };
        before += estimateMessageTokens(answer);
        return [prompt, { ...answer, info: { ...answer.info, tokens } as HostMessage["info"] }];
      }).flat();
    };
    // With both messages' frames: 299 and 300 tokens from call to call.
    expect(measureScale({ projected: small(4 * 291) })).toBe(1);
    expect(measureScale({ projected: small(4 * 292) })).toBeCloseTo(1.8);
  });

  test("go by the newest 24 messages", () => {
    const newest = (count: number) => [...reporting(1.9, 40), ...reporting(1.2, 40).slice(-count)];
    expect(measureScale({ projected: newest(24) })).toBeCloseTo(1.2);
    expect(measureScale({ projected: newest(10) })).toBeCloseTo(1.9);
  });

  test("growth of more than a double or less than a half is of a rewrite, and says nothing", () => {
    expect(measureScale({ projected: reporting(9) })).toBe(1);
    expect(measureScale({ projected: reporting(0.01) })).toBe(1);
    expect(measureScale({ projected: [...reporting(0.01, 12), ...reporting(1.3, 3)] })).toBeCloseTo(
      1.3,
    );
  });

  test("one call that was rewritten does not turn them over", () => {
    const [first, second, ...rest] = reporting(1);
    const dropped = reporting(1, 12).slice(-2);
    if (!first || !second) throw new Error("no messages");
    expect(measureScale({ projected: [first, second, ...rest, ...dropped] })).toBeCloseTo(1, 1);
  });

  test("a call's size is the room's estimate; the first of an epoch is counted anew, with what stands before it", () => {
    const view = new SimulatedSession(60_000).view();
    const projected = reporting(1);
    const own = projected.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
    const space = { ...view.space, estimatedTokens: 7 };
    const sent = { index: 0, messageId: "u0" };
    expect(sumTokens({ ...view, projected, space, watermark: sent })).toBe(7);
    const first = { ...view, projected, space, watermark: null };
    expect(sumTokens(first)).toBeCloseTo(own + 10_000);
    expect(sumTokens({ ...first, space: { ...space, usableTokens: 6_000 } })).toBeCloseTo(
      own + 1_000,
    );
    expect(sumTokens({ ...first, space: { ...space, usableTokens: null } })).toBeCloseTo(
      own + 10_000,
    );
  });
});
