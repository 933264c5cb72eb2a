import { expect, test } from "bun:test";
import {
  byteLength,
  combineLimits,
  countLines,
  fitsLimits,
} from "../../../src/features/tool-output/limits.ts";

test("T5: of two limits the stricter counts, in each respect and from either side", () => {
  const short = { maxLines: 10, maxBytes: 2_000 };
  const narrow = { maxLines: 20, maxBytes: 1_000 };
  const both = { maxLines: 10, maxBytes: 1_000 };
  expect(combineLimits(short, narrow)).toEqual(both);
  expect(combineLimits(narrow, short)).toEqual(both);
});

test("a text fits that has as many bytes and lines as the limits say, and not one more", () => {
  const limits = { maxLines: 3, maxBytes: 8 };
  expect(fitsLimits("12345678", limits)).toBe(true);
  expect(fitsLimits("123456789", limits)).toBe(false);
  expect(fitsLimits("ä".repeat(4), limits)).toBe(true);
  expect(fitsLimits(`${"ä".repeat(4)}a`, limits)).toBe(false);
  expect(fitsLimits("1\n2\n3", limits)).toBe(true);
  expect(fitsLimits("1\n2\n3\n", limits)).toBe(false);
});

test("lines are counted as a split at line feeds does", () => {
  for (const text of ["", "a", "\n", "a\nb", "\n\n\n", "a\n\nb\n"]) {
    expect(countLines(text)).toBe(text.split("\n").length);
  }
});

test("a lone surrogate counts as the replacement character that it is written as", () => {
  expect(byteLength("\ud800")).toBe(3);
});
