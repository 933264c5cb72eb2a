import { expect, test } from "bun:test";
import {
  foldCase,
  scoreWordPresence,
  sliceWholeCharacters,
} from "../../../src/features/search/fold-text.ts";

test("texts are compared without case and accents", () => {
  expect(foldCase("Plain ASCII\tText\r\n~")).toBe("plain ascii\ttext\r\n~");
  expect(foldCase("NAÏVE Café über")).toBe("naive cafe uber");
  expect(foldCase("ÜÖÉ")).toBe("uoe");
});

test.each([
  ["a word of its own", "the port is 5433", "port", 1],
  ["at both ends of a text", "port", "port", 1],
  ["a piece of a word", "the seaports are shut", "port", 0.8],
  ["a piece that ends a word", "the seaport is shut", "port", 0.8],
  ["a piece that begins a word", "the porter left", "port", 0.8],
  ["first as a piece, then as a word", "a seaport, a port", "port", 1],
  ["a number within a longer one", "at 15433 or so", "5433", 0.3],
  ["a number that begins a longer one", "at 54331 or so", "5433", 0.3],
  ["a number beside letters", "at p5433x or so", "5433", 0.8],
  ["a number within a longer one, then beside letters", "15433 p5433", "5433", 0.8],
  ["a number beside letters, then within a longer one", "p5433 15433", "5433", 0.8],
  ["letters beside digits", "at 1port2 or so", "port", 0.8],
  ["digits with a letter beside a digit", "at 14711b or so", "4711b", 0.8],
  ["not at all", "the gate is shut", "port", 0],
])("a text holds a word, %s: %p, %p: %p", (_, text, word, share) => {
  expect(scoreWordPresence(text, word)).toBe(share);
});

test.each([
  ["batching", "we batch them", 0.6],
  ["batching", "batched at noon", 0.6],
  ["migrations", "it migrates", 0.6],
  ["deployment", "we deploy", 0.6],
  ["losses", "a loss", 0.6],
  // Where another word ends so.
  ["batching", "the rebatch", 0],
  ["batching", "the rebatch, a batch", 0.6],
  // Of fewer than six letters, with other characters, or with less than four left.
  ["tests", "a test", 0],
  ["batch-ing", "we batch", 0],
  ["1batching", "a 1batch", 0],
  ["dozers", "a doze", 0],
  // Without an ending.
  ["kestrel", "a kestre", 0],
])("a word without its ending: %p in %p: %p", (word, text, share) => {
  expect(scoreWordPresence(text, word)).toBe(share);
});

test("a piece of a text has no half of a character at its ends", () => {
  expect(sliceWholeCharacters("a😀b😀c", 0, 6)).toBe("a😀b😀");
  expect(sliceWholeCharacters("a😀b😀c", 2, 5)).toBe("b");
  expect(sliceWholeCharacters("a😀b😀c", 1, 3)).toBe("😀");
});
