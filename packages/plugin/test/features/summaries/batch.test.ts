import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type BatchInput,
  findNextBatch,
  sliceSinceCompaction,
} from "../../../src/features/summaries/batch.ts";
import type { HostMessage } from "../../../src/ledger/message.ts";
import { estimateMessageTokens } from "../../../src/ledger/tokens.ts";
import { assistant, text, user } from "../../ledger/history.ts";

const WORDS = text("word ".repeat(100));

/** Turns of a prompt and so many answers each, all of one size. */
function talk(...answers: readonly number[]): readonly HostMessage[] {
  return answers.flatMap((count, turn) => [
    user(`u${turn}`, WORDS),
    ...Array.from({ length: count }, (_, at) => assistant(`a${turn}.${at}`, WORDS)),
  ]);
}

const [ONE = 0] = talk(0).map(estimateMessageTokens);
/** That many messages. */
const sized = (count: number) => count * ONE;

function takeBatch(messages: readonly HostMessage[], other: Partial<BatchInput> = {}) {
  const found = findNextBatch({
    ...{ messages, from: 0, keepTokens: sized(1), batchTokens: sized(5), leastTokens: sized(2) },
    ...other,
  });
  return found && [found.first, found.last];
}

describe("W1: the next batch", () => {
  test("is all before the tail and apart from the newest prompt, of any conversation", () => {
    const shapes = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 8 });
    const count = fc.integer({ min: 1, max: 20 });
    fc.assert(
      fc.property(shapes, count, count, count, (answers, kept, size, least) => {
        const messages = talk(...answers);
        const sizes = {
          keepTokens: sized(kept),
          batchTokens: sized(size),
          leastTokens: sized(least),
        };
        const range = takeBatch(messages, sizes);
        if (range === null) return;
        const [first = 0, last = 0] = range;
        const prompt = messages.findLastIndex(({ info }) => info.role === "user");
        expect(prompt < first || prompt > last).toBe(true);
        expect(messages.length - 1 - last).toBeGreaterThanOrEqual(kept);
        expect(last - first + 1).toBeGreaterThanOrEqual(least);
      }),
    );
  });

  test("ends with the turn in which it reaches its size", () => {
    const messages = talk(2, 2, 2, 2);
    expect(takeBatch(messages)).toEqual([0, 5]);
    expect(takeBatch(messages, { batchTokens: sized(6) })).toEqual([0, 5]);
    expect(takeBatch(messages, { batchTokens: sized(6) + 1 })).toEqual([0, 8]);
    expect(takeBatch(messages, { batchTokens: sized(3) })).toEqual([0, 2]);
    expect(takeBatch(messages, { from: 3 })).toEqual([3, 8]);
  });

  test("ends in the middle of a turn that goes on for twice its size", () => {
    const messages = talk(30, 1);
    expect(takeBatch(messages)).toEqual([0, 9]);
    expect(takeBatch(messages, { batchTokens: sized(5) + 1 })).toEqual([0, 10]);
  });

  test("of less than its size ends with a turn, where there is one with enough in it", () => {
    // All but the newest prompt, which stays verbatim, and what comes after it.
    const open = talk(2, 1, 9);
    const most = { batchTokens: sized(50) };
    expect(takeBatch(open, most)).toEqual([0, 4]);
    // A turn that reaches into the tail has no end yet.
    expect(takeBatch(talk(2, 3), { ...most, keepTokens: sized(2) })).toEqual([0, 2]);
    expect(takeBatch(talk(2, 1), { ...most, leastTokens: sized(3) })).toEqual([0, 2]);
    expect(takeBatch(talk(2, 1), { ...most, leastTokens: sized(3) + 1 })).toBeNull();
  });

  test("that reaches just its size in the middle of a turn goes to its end, where a tail begins", () => {
    // The second turn reaches into the tail: it ends nowhere in what may be taken.
    const messages = talk(2, 3, 0);
    const tail = { keepTokens: sized(2) };
    expect(takeBatch(messages, { ...tail, batchTokens: sized(6) })).toEqual([0, 5]);
    expect(takeBatch(messages, { ...tail, batchTokens: sized(6) + 1 })).toEqual([0, 2]);
  });

  test("is of what lies behind the newest prompt where there is too little before it", () => {
    const messages = talk(0, 12);
    expect(takeBatch(messages, { batchTokens: sized(3) })).toEqual([2, 7]);
    expect(takeBatch(messages, { batchTokens: sized(30) })).toEqual([2, 12]);
    expect(takeBatch(messages, { leastTokens: sized(11) })).toBeNull();
  });

  test("says how much no segment says, whatever of it the batch takes", () => {
    const messages = talk(2, 2, 2, 2);
    const input = { messages, keepTokens: sized(1), batchTokens: sized(3), leastTokens: sized(2) };
    expect(findNextBatch({ ...input, from: 0 })?.unsaidTokens).toBe(sized(11));
    expect(findNextBatch({ ...input, from: 3 })?.unsaidTokens).toBe(sized(8));
  });
});

describe("a session's history for the model", () => {
  const compaction = (id: string) => user(id, { type: "compaction", auto: true } as never);
  const summary = (of: string, fields: object = {}): HostMessage => {
    const { info, parts } = assistant(`s_${of}`, WORDS);
    return {
      parts,
      info: { ...info, ...{ summary: true, finish: "stop", parentID: of }, ...fields },
    };
  };
  const [first, then, last] = [talk(1), [user("v", WORDS)], [user("w", WORDS)]];

  test("begins with the newest compaction that is finished", () => {
    const whole = [...first, compaction("c1"), summary("c1"), ...then];
    expect(sliceSinceCompaction(whole)).toEqual(whole.slice(2));
    const twice = [...whole, compaction("c2"), summary("c2"), ...last];
    expect(sliceSinceCompaction(twice)).toEqual(twice.slice(5));
    expect(sliceSinceCompaction(twice.slice(5))).toEqual(twice.slice(5));
  });

  test("is all of it where none is finished, failed ones and other messages' answers too", () => {
    for (const fields of [
      { finish: undefined },
      { error: { name: "aborted" } },
      { summary: false },
      { summary: undefined },
      { parentID: undefined },
      { parentID: "u0" },
    ]) {
      const whole = [...first, compaction("c1"), summary("c1", fields), ...then];
      expect(sliceSinceCompaction(whole)).toBe(whole);
    }
  });
});
