// What a text says, word by word, and which parts of a file are about it.
import { describe, expect, test } from "bun:test";
import { findNamedPaths } from "../../../src/features/maintenance/task.ts";
import { containsQuote, cutExcerpt } from "../../../src/features/maintenance/verify.ts";
import {
  collectWords,
  computeKeptShare,
  extractSubstance,
  keepsOrder,
  listMissingTokens,
  measureSimilarity,
} from "../../../src/features/maintenance/wording-guard.ts";

describe("an excerpt", () => {
  const lines = Array.from({ length: 20 }, (_, at) => `Line ${at} of it`);
  const file = lines.join("\n");
  const most = file.length - 1;

  test("is the whole file where it fits, without a line's end of ours", () => {
    expect(cutExcerpt(file, [], file.length)).toBe(file);
  });

  test("has the first two lines, and two around each that holds a word, in whatever case", () => {
    const shown = lines.map((line, at) => (at === 9 ? `${line}: MaxItems` : line));
    const text = shown.join("\n");
    const gap = "[…]";
    const part = [...shown.slice(0, 2), gap, ...shown.slice(7, 12), gap, ""].join("\n");
    expect(cutExcerpt(text, ["nothing", "maxitems"], most)).toBe(part);
    expect(cutExcerpt(text, [], most)).toBe([...shown.slice(0, 2), gap, ""].join("\n"));
  });

  test("has no gap between neighbours, and takes two letters for no word", () => {
    const text = lines.map((line, at) => (at === 4 ? `${line} tax` : line)).join("\n");
    expect(cutExcerpt(text, ["tax"], most)).toBe(
      [...text.split("\n").slice(0, 7), "[…]", ""].join("\n"),
    );
    expect(cutExcerpt(text, ["ax"], most)).toBe([...lines.slice(0, 2), "[…]", ""].join("\n"));
  });

  test("ends with the last line that fits", () => {
    expect(cutExcerpt("ab\ncd\nef", ["abcd"], 6)).toBe("ab\ncd\n");
    expect(cutExcerpt("ab\ncd\nef", ["abcd"], 5)).toBe("ab\n");
  });
});

test("a quote of four letters or more stands in a text, however its spaces are", () => {
  expect(containsQuote("const a =\n\t 700;", "  a = 700;  ")).toBe(true);
  expect(containsQuote("const a = 700;", "a = 7")).toBe(true);
  expect(containsQuote("const a = 700;", "700;")).toBe(true);
  expect(containsQuote("const a = 700;", "700 ")).toBe(false);
  expect(containsQuote("const a = 700;", "a = 800")).toBe(false);
});

test("a path that leads out of the project, an address and a bare word are no files of it", () => {
  const text = "../a.ts /b.ts ~/c.ts d/../e.ts https://x.y/f.ts v1.2.3 and/or src/ g.TS .env";
  expect(findNamedPaths(text)).toEqual(["g.TS"]);
  expect(findNamedPaths("a.ts, ./a.ts and b/..c.ts.")).toEqual(["a.ts", "b/..c.ts"]);
});

describe("what a text says", () => {
  const said = (text: string) => extractSubstance(text);

  test("is its names, numbers and negations, and its other words by their stems, each once", () => {
    const { distinctive, stems } = said(
      "It listens, listening, listened: never on port 3000 of MAX_A.",
    );
    expect([...distinctive].toSorted()).toEqual(["3000", "max_a", "never"]);
    expect(stems).toEqual(["listen", "port"]);
  });

  test("keeps a short word whole, and each ending goes once", () => {
    expect(said("used ties bus seemingly markedly settings quickly boxes").stems).toEqual([
      ...["used", "ties", "bus", "seem", "mark", "sett", "quick", "box"],
    ]);
  });

  test("is kept in so far as its words are there; all of it where it has none", () => {
    expect(computeKeptShare(said("ledger rounds invoices weekly"), said("invoices ledger"))).toBe(
      0.5,
    );
    expect(computeKeptShare(said("It is so."), said("ledger"))).toBe(1);
    expect(computeKeptShare(said("ledger"), said("It is so."))).toBe(0);
  });

  test("is in order where each word taken over comes after the one before", () => {
    const old = said("ledger rounds invoices weekly");
    expect(keepsOrder(old, said("ledger new invoices"))).toBe(true);
    expect(keepsOrder(old, said("rounds weekly"))).toBe(true);
    expect(keepsOrder(old, said("invoices ledger"))).toBe(false);
    expect(keepsOrder(old, said("rounds ledger"))).toBe(false);
  });

  test("is like another by the words of the shorter one, names among them", () => {
    expect(measureSimilarity(said("ledger A_B 7"), said("A_B 7 mailer gateway"))).toBeCloseTo(
      2 / 3,
    );
    expect(measureSimilarity(said("A_B 7 mailer gateway"), said("ledger A_B 7"))).toBeCloseTo(
      2 / 3,
    );
    expect(measureSimilarity(said("It is so."), said("ledger"))).toBe(0);
    expect([...collectWords(said("ledger A_B"))]).toEqual(["a_b", "ledger"]);
    expect(listMissingTokens(["a", "b"], new Set(["b", "c"]))).toEqual(["a"]);
  });
});
