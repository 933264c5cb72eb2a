import { expect, test } from "bun:test";
import { numberTexts } from "../../../src/context/frames.ts";
import type { Finding } from "../../../src/feature-api/finders.ts";
import { renderHits, renderNoHits, type ShownHit } from "../../../src/features/search/answer.ts";
import type { Ref } from "../../../src/ledger/ref.ts";
import { estimateTokens } from "../../../src/ledger/tokens.ts";
import type { IndexedDocument } from "../../../src/search-index/document.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { NOW_MS, SES } from "./stage.ts";

const facts = { parts: 9, within: "session", inContext: 0, index: "whole", nowMs: NOW_MS } as const;

function hit(ref: string, text: string, more: Partial<IndexedDocument> = {}): ShownHit {
  const part: IndexedDocument = {
    ...{ id: 1, ref: ref as Ref, sessionId: SES, key: "prt", messageId: "msg" },
    ...{ kind: "user", words: "user", madeAtMs: NOW_MS, passages: 1, ...more },
  };
  return { part, lines: numberTexts([text]) };
}

function finding(ref: string, text: string): Finding {
  return { ref: ref as Ref, words: "memory", lines: [text], madeAtMs: NOW_MS };
}

function answer(
  hits: readonly ShownHit[],
  findings: readonly Finding[] = [],
  meant: readonly Finding[] = [],
): string {
  return renderHits({ hits, findings, semantic: meant }, SES, facts);
}

const heads = (text: string) => text.split("\n").filter((line) => line.startsWith("["));
const refs = (text: string) => heads(text).map((line) => line.slice(1, line.indexOf("]")));

test.each([
  [59_999, "just now"],
  [60_000, "1 min ago"],
  [3_599_999, "59 min ago"],
  [3_600_000, "1 h ago"],
  [86_399_999, "23 h ago"],
  [86_400_000, "1 d ago"],
  [20 * 86_400_000, "20 d ago"],
])("what is %i ms old is from %p", (ms, words) => {
  expect(heads(answer([hit("r:a", "text", { madeAtMs: NOW_MS - ms })]))).toEqual([
    `[r:a] user, ${words}`,
  ]);
});

test("a hit of another session says of which", () => {
  const other = hit("r:a", "text", { sessionId: "ses_2" as SessionId });
  expect(heads(answer([other, hit("r:b", "text")]))).toEqual([
    ...["[r:a] user, just now, in session ses_2", "[r:b] user, just now"],
  ]);
});

test("the lists take turns, and what stands in several of them stands once, further up", () => {
  const hits = [hit("r:a", "one"), hit("r:b", "two")];
  expect(refs(answer(hits, [finding("m:a", "three")], [finding("r:b", "two")]))).toEqual([
    ...["r:b", "r:a", "m:a"],
  ]);
});

test("two places of one record are two, and both are shown", () => {
  const text = answer([hit("r:a", "one"), hit("r:a", "two")], [], [finding("r:a", "one")]);
  expect(refs(text)).toEqual(["r:a", "r:a"]);
  expect(text).toContain("1| two");
});

test("R7: of short records so many are shown that one more would be over 1,500 tokens, and never more", () => {
  for (const tokens of [10, 23, 60, 110]) {
    const many = Array.from({ length: 200 }, (_, at) => hit(`r:${at}`, "x".repeat(4 * tokens)));
    const text = answer(many);
    const shown = refs(text).length;
    expect(estimateTokens(text)).toBeLessThanOrEqual(1_500);
    const perRecord = estimateTokens(text) - estimateTokens(answer(many.slice(0, shown - 1)));
    expect(estimateTokens(text) + perRecord).toBeGreaterThan(1_490);
  }
});

test("as many are shown as fit into 1,500 tokens, and always the best one", () => {
  const sized = (tokens: number) => "x".repeat(4 * tokens);
  const many = Array.from({ length: 8 }, (_, at) => hit(`r:${at}`, sized(300)));
  const text = answer(many);
  expect(refs(text)).toEqual(["r:0", "r:1", "r:2", "r:3"]);
  expect(estimateTokens(text)).toBeLessThanOrEqual(1_500);
  expect(refs(answer([hit("r:a", sized(2_000)), hit("r:b", "short")]))).toEqual(["r:a"]);
  const frame = estimateTokens(answer([hit("r:0", ""), hit("r:1", "")]));
  const filled = (tokens: number) => answer([hit("r:0", sized(tokens)), hit("r:1", "")]);
  expect(estimateTokens(filled(1_500 - frame))).toBe(1_500);
  expect(refs(filled(1_500 - frame))).toHaveLength(2);
  expect(refs(filled(1_501 - frame))).toHaveLength(1);
});

test("after the quotes it says what else matches, and whether the index is whole", () => {
  const said = (more: object) =>
    renderHits({ hits: [hit("r:a", "text")], findings: [], semantic: [] }, SES, {
      ...facts,
      ...more,
    })
      .split("\n")
      .slice(4);
  expect(said({})).toEqual(["</recalled>"]);
  expect(said({ inContext: 2, index: "in progress" })).toEqual([
    "</recalled>",
    "2 more already in your context.",
    "Older parts are still being indexed: try again in a moment.",
  ]);
});

test("where nothing is found it says what was searched, what is known besides, and what to try", () => {
  expect(renderNoHits({ ...facts, within: "project" })).toBe(
    "Nothing found in this project's sessions (9 texts, calls and results searched, by words and by pieces of them). Try other words: names, paths, numbers, error texts.",
  );
  expect(renderNoHits({ ...facts, inContext: 1, index: "in progress" })).toBe(
    'Nothing found in this session (9 texts, calls and results searched, by words and by pieces of them). 1 more already in your context. Older parts are still being indexed: try again in a moment. Try other words, or in: "project".',
  );
});
