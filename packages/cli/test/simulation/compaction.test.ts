import { expect, test } from "bun:test";
import { estimateHistoryTokens } from "@session-runtime/opencode/ledger/tokens";
import { compacted } from "../../src/simulation/compaction.ts";
import { message, text, toolCall } from "./messages.ts";
import { model } from "./recorded.ts";

/** As the JSON that the host counts, 1,000 tokens each, the user's 999. */
const messages = Array.from({ length: 20 }, (_, at) =>
  message(`m${at}`, at % 2 === 0 ? "user" : "assistant", text("x".repeat(3_940))),
);

const within = (usableTokens: number) => compacted(messages, { ...model, usableTokens });

test("the newest messages that fit into a quarter of the room stay, at least 2,000 tokens and at most 15,000", () => {
  for (const [usableTokens, kept] of [
    [20_000, 5],
    [19_988, 4],
    [4_000, 2],
    [100_000, 15],
  ] as const) {
    const { messages: sent } = within(usableTokens);
    expect(sent.slice(2, -1)).toEqual(messages.slice(-kept));
  }
});

test("a conversation that fits as a whole stays whole", () => {
  const { messages: sent, promptTokens } = compacted(messages.slice(0, 2), model);
  expect(sent.slice(2, -1)).toEqual(messages.slice(0, 2));
  expect(promptTokens).toBe(1_000);
});

test("a question and a summary of 4,000 characters stand in front, and the user's word to continue after", () => {
  const { messages: sent } = within(20_000);
  const [question, summary, last] = [sent[0], sent[1], sent.at(-1)];
  const roles = [question, summary, last].map((one) => String(one?.info.role));
  expect(roles).toEqual(["user", "assistant", "user"]);
  expect(estimateHistoryTokens(summary ? [summary] : []) / 1_004).toBeCloseTo(1, 1);
  expect(new Set(sent.map(({ info }) => info.id)).size).toBe(sent.length);
});

test("the call that makes the summary is sent what goes, of each result its first 2,000 characters", () => {
  expect(within(20_000).promptTokens).toBe(1_000 + estimateHistoryTokens(messages.slice(0, 15)));
  const long = message("long", "assistant", toolCall("read", {}, "x".repeat(10_000)));
  const short = message("short", "assistant", toolCall("read", {}, "x".repeat(2_000)));
  const others = messages.slice(-14);
  const countPromptTokens = (first: typeof long) =>
    compacted([first, ...others], model).promptTokens;
  expect(countPromptTokens(long)).toBe(countPromptTokens(short));
  expect(countPromptTokens(short)).toBe(1_000 + estimateHistoryTokens([short]));
});
