import { describe, expect, test } from "bun:test";
import type { HostMessage, HostPart } from "../../src/ledger/message.ts";
import {
  computeCallSpace,
  computeUsableTokens,
  estimateCallTokens,
  narrowBounds,
  readPromptTokens,
  usualRates,
} from "../../src/ledger/space.ts";
import {
  estimateHistoryTokens,
  estimateMessageTokens,
  estimatePartTokens,
  estimateResultTokens,
  estimateTokens,
} from "../../src/ledger/tokens.ts";

const current = () => false;
const ids = { id: "prt_1", messageID: "msg_1", sessionID: "ses_1" };
const FRAME = 4;

function part(fields: object): HostPart {
  return { ...ids, ...fields } as unknown as HostPart;
}

function tool(state: object): HostPart {
  return part({ type: "tool", tool: "bash", callID: "call_1", state });
}

const done = (output: string, more: object = {}) =>
  tool({ status: "completed", input: { a: 1 }, output, time: { start: 0, end: 1 }, ...more });

function message(
  role: "user" | "assistant",
  parts: readonly HostPart[],
  info: object = {},
): HostMessage {
  return { info: { id: "msg_1", sessionID: "ses_1", role, ...info }, parts };
}

describe("the estimate of tokens", () => {
  test("takes four characters of code for a token, and each character of wide scripts", () => {
    expect(estimateTokens("")).toBe(0);
    expect(estimateTokens("abcdefgh")).toBe(2);
    expect(estimateTokens("abcde")).toBe(2);
    expect(estimateTokens("\u4f60\u597dabcd")).toBe(3);
    expect([estimateTokens("\u2e7f".repeat(4)), estimateTokens("\u2e80".repeat(4))]).toEqual([
      1, 4,
    ]);
  });

  test("counts of a part what the host sends of it", () => {
    expect(estimatePartTokens(part({ type: "text", text: "abcdefgh" }))).toBe(2);
    expect(estimatePartTokens(part({ type: "text", text: "abcdefgh", ignored: true }))).toBe(0);
    expect(estimatePartTokens(part({ type: "reasoning", text: "abcd" }))).toBe(1);
    expect(estimatePartTokens(part({ type: "file", mime: "image/png", url: "data:" }))).toBe(1_500);
    expect(estimatePartTokens(part({ type: "step-start" }))).toBe(0);
    // The call's arguments, {"a":1}, are two tokens.
    expect(estimatePartTokens(done("abcdefgh"))).toBe(FRAME + 2 + 2);
    expect(estimatePartTokens(tool({ status: "running" }))).toBe(FRAME + 1);
  });

  test("counts of a call's result its text and attachments, or its error", () => {
    expect(estimateResultTokens(part({ type: "text", text: "abcd" }))).toBe(0);
    expect(estimateResultTokens(done("abcd", { attachments: [{}, {}] }))).toBe(1 + 3_000);
    expect(estimateResultTokens(tool({ status: "error", error: "abcdefgh" }))).toBe(2);
    expect(estimateResultTokens(tool({ status: "pending" }))).toBe(0);
    expect(estimateResultTokens(tool({ status: "running" }))).toBe(0);
  });

  test("counts of a history its messages", () => {
    const one = message("user", [part({ type: "text", text: "abcd" })]);
    expect(estimateHistoryTokens([one, one])).toBe(2 * (FRAME + 1));
  });

  test("counts of a message its frame and its parts", () => {
    const parts = [part({ type: "text", text: "abcd" }), part({ type: "text", text: "abcd" })];
    expect(estimateMessageTokens(message("user", parts))).toBe(FRAME + 2);
  });
});

describe("the room of a call", () => {
  const asked = message("user", [part({ type: "text", text: "abcdefgh" })]);
  const tokens = { input: 100, output: 20, cache: { read: 300, write: 50 } };

  test("without a provider's figures is estimated whole", () => {
    expect(estimateCallTokens([asked, asked], current)).toBe(2 * (FRAME + 2));
    for (const wrong of [
      {},
      { tokens: {} },
      { tokens: null },
      { tokens: { input: 1, output: 1 } },
      { tokens: { ...tokens, input: 0, cache: {} } },
    ]) {
      expect(estimateCallTokens([message("assistant", [], wrong)], current)).toBe(FRAME);
    }
  });

  test("begins at the newest figures, with the results of that answer and what came after it", () => {
    const answered = message(
      "assistant",
      [done("abcdefgh"), part({ type: "text", text: "ignored" })],
      { tokens },
    );
    expect(estimateCallTokens([asked, answered, asked], current)).toBe(470 + 2 + (FRAME + 2));
    const uncached = message("assistant", [], { tokens: { input: 7, output: 1, cache: {} } });
    expect(estimateCallTokens([uncached], current)).toBe(8);
    const written = { input: 0, output: 1, cache: { write: 6 } };
    expect(estimateCallTokens([message("assistant", [], { tokens: written })], current)).toBe(7);
  });

  test("without figures of calls that were made of another history is estimated whole", () => {
    const answered = message("assistant", [], { tokens });
    expect(estimateCallTokens([asked, answered, asked], () => true)).toBe(2 * (FRAME + 2) + FRAME);
    const summary = message("assistant", [], { tokens, summary: true });
    expect(estimateCallTokens([summary, asked], current)).toBe(FRAME + (FRAME + 2));
    expect(readPromptTokens(summary)).toBeNull();
    expect(readPromptTokens(answered)).toBe(450);
  });

  test("is what the model takes for a prompt, room for its answer set aside", () => {
    const limits = { contextTokens: 200_000, inputTokens: null, outputTokens: 8_000 };
    expect(computeUsableTokens(limits)).toBe(192_000);
    expect(computeUsableTokens({ ...limits, outputTokens: 64_000 })).toBe(168_000);
    expect(computeUsableTokens({ ...limits, outputTokens: 0 })).toBe(168_000);
    expect(computeUsableTokens({ ...limits, contextTokens: 40_000, outputTokens: 40_000 })).toBe(
      20_000,
    );
    expect(computeUsableTokens({ ...limits, inputTokens: 150_000 })).toBe(150_000);
    expect(computeUsableTokens({ ...limits, inputTokens: 0 })).toBe(192_000);
    expect(computeUsableTokens({ ...limits, contextTokens: 0 })).toBeNull();
  });

  test("I23: is less where the provider has stated less, and never more", () => {
    const rates = { ...usualRates, read: 0.2 };
    const roomy = { contextTokens: 200_000, inputTokens: null, outputTokens: 8_000 };
    const usable = (
      limits: typeof roomy | { inputTokens: number },
      statedTokens: number | null,
    ) => {
      const bounds = narrowBounds({ limits: { ...roomy, ...limits }, rates }, statedTokens);
      expect(bounds?.rates).toEqual(rates);
      return bounds && computeUsableTokens(bounds.limits);
    };
    expect(usable(roomy, null)).toBe(192_000);
    expect(usable(roomy, 60_000)).toBe(52_000);
    expect(usable(roomy, 200_000)).toBe(192_000);
    expect(usable(roomy, 1_000_000)).toBe(192_000);
    expect(usable({ inputTokens: 150_000 }, 60_000)).toBe(52_000);
    expect(usable({ inputTokens: 150_000 }, 190_000)).toBe(150_000);
    expect(usable({ inputTokens: 0 }, 60_000)).toBe(52_000);
  });

  test("is what the provider has stated where the catalogue doesn't say, or can't be asked", () => {
    const unlimited = { contextTokens: 0, inputTokens: null, outputTokens: 0 };
    const asked = narrowBounds({ limits: unlimited, rates: usualRates }, 100_000);
    expect(asked && computeUsableTokens(asked.limits)).toBe(68_000);
    expect(narrowBounds(null, 100_000)).toEqual(asked);
    expect(narrowBounds(null, null)).toBeNull();
  });

  test("is not looked at where nobody knows the limit", () => {
    const unlimited = { contextTokens: 0, inputTokens: null, outputTokens: 0 };
    const rates = usualRates;
    const unknown = { usableTokens: null, estimatedTokens: 0, rates };
    expect(computeCallSpace(null, [asked], current)).toEqual(unknown);
    expect(computeCallSpace({ limits: unlimited, rates }, [asked], current)).toEqual(unknown);
    const limits = { ...unlimited, contextTokens: 100 };
    expect(computeCallSpace({ limits, rates }, [asked], current)).toEqual({
      usableTokens: 50,
      estimatedTokens: FRAME + 2,
      rates,
    });
  });
});
