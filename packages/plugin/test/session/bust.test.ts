import { describe, expect, test } from "bun:test";
import {
  type BustInput,
  explainBust,
  explainMissedRead,
  type TurnTrace,
} from "../../src/session/bust.ts";
import type { LayerDigests, TurnUsage } from "../../src/storage/records.ts";

const digests: LayerDigests = {
  ...{ tools: "t", preamble: "p", baseline: "b", live: "l" },
  ...{ history: "h", historyAtWatermark: "h" },
};
const former: TurnTrace = {
  ...{ epochSeq: 1, sentAtMs: 1_000, digests, usage: null },
  opening: "same epoch",
};

function explainChange(
  change: Partial<LayerDigests>,
  input: Partial<BustInput> = {},
): string | null {
  const current = {
    ...{ epochSeq: 1, sentAtMs: 61_000 },
    ...input.current,
    digests: { ...digests, ...change },
  };
  return explainBust({
    former,
    rewrite: null,
    changedServer: null,
    coldPauseMs: null,
    ...input,
    current,
  });
}

const usage = (cacheReadTokens: number, cacheWriteTokens: number) => ({
  ...{ inputTokens: 1, outputTokens: 1 },
  ...{ cacheReadTokens, cacheWriteTokens },
});

describe("I1: a change of what was sent that the runtime does not hold has its cause named", () => {
  test("nothing, where all layers are as they were, and history only grew", () => {
    expect(explainChange({ history: "longer" })).toBeNull();
  });

  test("nothing, where there is no call before to read the cache of", () => {
    expect(explainChange({ preamble: "other" }, { former: null })).toBeNull();
  });

  const named: readonly (readonly [string, Partial<LayerDigests>, Partial<BustInput>, string])[] = [
    [
      "a pause beyond the cache's life, over all else",
      { tools: "other" },
      { coldPauseMs: 600_000 },
      "idle for 10 min, beyond the cache's life",
    ],
    [
      "the tools of an MCP server, by its name",
      {},
      { changedServer: "search" },
      "the tool list changed: those of the MCP server search",
    ],
    ["the tool list", { tools: "other", preamble: "other" }, {}, "the tool list changed"],
    ["the agent's prompt", { preamble: "other" }, {}, "the agent's own prompt changed"],
    [
      "an epoch that an undo has brought back",
      { baseline: "other" },
      { current: { epochSeq: 0, sentAtMs: 61_000, digests } },
      "an undo brought an earlier epoch back",
    ],
    [
      "a Baseline that was not sent as stored",
      { baseline: "other" },
      {},
      "the Baseline was not sent as stored",
    ],
    [
      "a prompt's own system, and texts of other plugins",
      { live: "other" },
      {},
      "a live block changed: the prompt's own system, or another plugin's text",
    ],
    [
      "sent history",
      { historyAtWatermark: "other" },
      {},
      "sent history changed: an undo, another plugin, or the host",
    ],
  ];
  for (const [what, change, input, cause] of named) {
    test(what, () => expect(explainChange(change, input)).toBe(cause));
  }

  test.each([
    ["pressure", "old history was dropped: the call would not have fitted"],
    ["command", "old history was dropped: a command asked for it"],
    ["idle", "old history was dropped where the cache was given up (idle)"],
  ] as const)("a rewrite of our own since that call, at a boundary of %s", (boundary, cause) => {
    const changed = { historyAtWatermark: "other" };
    expect(explainChange(changed, { rewrite: { boundary, atMs: 1_001 } })).toBe(cause);
    expect(explainChange(changed, { rewrite: { boundary, atMs: 1_000 } })).toStartWith(
      "sent history",
    );
    expect(explainChange({}, { rewrite: { boundary, atMs: 1_001 } })).toBeNull();
  });

  test("an epoch that opens for a reason is no bust, whatever else changed with it", () => {
    const current = { epochSeq: 2, sentAtMs: 61_000, digests };
    expect(
      explainChange({ baseline: "other", historyAtWatermark: "other" }, { current }),
    ).toBeNull();
    expect(
      explainChange({ tools: "other" }, { current: { ...current, sentAtMs: 9e9 } }),
    ).toBeNull();
  });
});

describe("the provider's own figures", () => {
  const after = (usage: TurnUsage | null): TurnTrace => ({ ...former, usage });

  test("say nothing of an epoch that has just opened", () => {
    const opened: TurnTrace = { ...after(usage(2_000, 8_000)), opening: "new epoch" };
    expect(explainMissedRead(opened, usage(0, 9_000))).toBeNull();
  });

  test("speak where less than half of what could be read was read", () => {
    expect(explainMissedRead(after(usage(2_000, 8_000)), usage(4_999, 0))).toBe(
      "the provider read 4999 of 10000 cached tokens, for an unknown reason",
    );
    expect(explainMissedRead(after(usage(2_000, 8_000)), usage(5_000, 0))).toBeNull();
  });

  test("say nothing of a prefix that is too short to be cached, nor of a first call", () => {
    expect(explainMissedRead(after(usage(0, 2_047)), usage(0, 0))).toBeNull();
    expect(explainMissedRead(after(usage(0, 2_048)), usage(0, 0))).toContain("0 of 2048");
    expect(explainMissedRead(after(null), usage(0, 9_000))).toBeNull();
  });
});
