import { expect, test } from "bun:test";
import fc from "fast-check";
import { SpellingCounter } from "../../src/history/words.ts";

test("equal spellings have one number, and are counted wherever they stand", () => {
  const codes = Uint16Array.from("abcabcab", (letter) => letter.charCodeAt(0));
  const spellings = new SpellingCounter(codes, 8);
  expect([spellings.count(0, 3), spellings.count(3, 6), spellings.count(6, 8)]).toEqual([0, 0, 1]);
  expect([spellings.count(1, 3), spellings.count(4, 6), spellings.count(0, 0)]).toEqual([2, 2, 3]);
  expect([0, 1, 2, 3, 4].map((number) => spellings.times(number))).toEqual([2, 1, 2, 1, 0]);
});

test("spellings that look alike to it are held apart, up to as many as it was made for", () => {
  // Of three letters each, so that many meet in one place.
  const unit = fc.constantFrom(..."\0\x01 !\x1f\x20");
  const word = fc.string({ unit, minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 60 }), (words) => {
      const text = words.join("");
      const codes = Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
      const spellings = new SpellingCounter(codes, words.length);
      let at = 0;
      const numbers = words.map((one) => {
        at += one.length;
        return spellings.count(at - one.length, at);
      });
      const known = [...new Set(words)];
      expect(numbers).toEqual(words.map((one) => known.indexOf(one)));
      const countRepeats = (one: string) => words.filter((other) => other === one).length;
      expect(known.map((_, number) => spellings.times(number))).toEqual(known.map(countRepeats));
    }),
  );
});
