import { expect, test } from "bun:test";
import {
  type Candidate,
  computeWordCoverage,
  renderHitText,
  sortHits,
} from "../../../src/features/search/ranking.ts";
import type { Ref } from "../../../src/ledger/ref.ts";
import type { IndexedDocument } from "../../../src/search-index/document.ts";
import { SES } from "./stage.ts";

let made = 0;

interface LooseHit extends Partial<IndexedDocument> {
  readonly at?: number;
  readonly rank?: number;
}

/** A passage that was found, of a record of its own unless it is given an id. */
function found(text: string, { at = 0, rank = 0, ...more }: LooseHit = {}): Candidate {
  made += 1;
  const part: IndexedDocument = {
    ...{ id: made * 100, ref: "r:aaaaaa" as Ref, sessionId: SES, key: "prt", messageId: "msg" },
    ...{ kind: "output", words: "bash", madeAtMs: 0, passages: 9, ...more },
  };
  return { hit: { part, at, passage: { line: 1, text } }, rank };
}

const words = (...texts: readonly string[]) => texts.map((text) => ({ text, weight: 1 }));

function ordered(candidates: readonly Candidate[], ...texts: readonly string[]): readonly string[] {
  return sortHits(candidates, words(...texts)).map(({ passage }) => passage.text);
}

test("coverage is the share of the words' weight that a text holds", () => {
  const weighed = [
    { text: "heron", weight: 3 },
    { text: "owl", weight: 1 },
  ];
  expect(computeWordCoverage("a heron", weighed)).toBe(0.75);
  expect(computeWordCoverage("an owl, a heron", weighed)).toBe(1);
  expect(computeWordCoverage("herons", weighed)).toBeCloseTo(0.6);
  expect(computeWordCoverage("a heron", [])).toBe(0);
});

test("what holds more of the words comes first, what holds none of them not at all", () => {
  const some = [found("a heron"), found("a heron and an owl"), found("a finch")];
  expect(ordered(some, "heron", "owl")).toEqual(["a heron and an owl", "a heron"]);
});

test("words on one line count more than the same on two", () => {
  const some = [found("a heron\nan owl"), found("other\na heron, an owl")];
  expect(ordered(some, "heron", "owl")).toEqual(["other\na heron, an owl", "a heron\nan owl"]);
});

test("five words on five lines come before three of them on one", () => {
  const five = ["heron", "owl", "finch", "wren", "crane"];
  const some = [found(five.join("\n")), found("heron owl finch")];
  expect(ordered(some, ...five)).toEqual([five.join("\n"), "heron owl finch"]);
});

test("the words of a call go with each of its lines", () => {
  const some = [
    found("a heron\nan owl", { kind: "user", words: "user" }),
    found("none\nan owl", { words: "bash heron" }),
  ];
  expect(ordered(some, "heron", "owl")).toEqual(["none\nan owl", "a heron\nan owl"]);
});

test("a word that stands nowhere changes nothing", () => {
  const some = [found("a heron and more"), found("a heron", { rank: 0.1 })];
  const weighed = [...words("heron"), { text: "unicorn", weight: 1_000 }];
  expect(sortHits(some, weighed).map(({ passage }) => passage.text)).toEqual([
    ...["a heron", "a heron and more"],
  ]);
});

test("bm25 decides where the words don't, and less than they do", () => {
  const some = [found("a heron here"), found("a heron there", { rank: 1 })];
  expect(ordered(some, "heron")).toEqual(["a heron there", "a heron here"]);
  const other = [found("a heron", { rank: 1 }), found("a heron and an owl")];
  expect(ordered(other, "heron", "owl")).toEqual(["a heron and an owl", "a heron"]);
});

test("differences below a twentieth are none: then people's words come first, then the newer", () => {
  const some = [
    found("a heron 1", { rank: 0.51 }),
    found("a heron 2", { rank: 0.5, kind: "user", madeAtMs: 1 }),
    found("a heron 3", { rank: 0.49, kind: "assistant", madeAtMs: 2 }),
    found("a heron 4", { rank: 0.5, madeAtMs: 3 }),
  ];
  expect(ordered(some, "heron")).toEqual([...["a heron 3", "a heron 2", "a heron 4", "a heron 1"]]);
});

test("of those made at once the later place comes first", () => {
  const one = { id: 7_000 };
  const some = [found("a heron 1", { ...one, at: 1 }), found("a heron 2", { ...one, at: 2 })];
  expect(ordered(some, "heron")).toEqual(["a heron 2", "a heron 1"]);
});

test("a passage that was found twice stands once, by its better rank; a text at its newest place", () => {
  const twice = [0.2, 0.9, 0.4].map((rank) => found("a heron", { id: 8_000, rank }));
  expect(ordered([...twice, found("the heron", { rank: 0.6 })], "heron")).toEqual([
    ...["a heron", "the heron"],
  ]);
  const copies = [found("a heron", { madeAtMs: 1 }), found("a heron", { madeAtMs: 2 })];
  expect(sortHits(copies, words("heron")).map(({ part }) => part.madeAtMs)).toEqual([2]);
});

test("a record's first passage is found by the call's own words, and no other", () => {
  expect(renderHitText(found("One", { words: "bash LS" }).hit)).toBe("bash ls\none");
  expect(renderHitText(found("One", { words: "bash LS", at: 1 }).hit)).toBe("one");
});
