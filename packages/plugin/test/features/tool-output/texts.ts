import fc from "fast-check";

const PIECES = [
  "\n",
  "\n",
  "\r\n",
  "é",
  "日本",
  "👩‍👩‍👧",
  "\ufeff",
  "\0",
  "[x]",
  "word ",
  "x".repeat(400),
];

/** Texts with lines, of one to four bytes a character, empty lines and long ones. */
export const someText: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 9 })), { maxLength: 150 })
  .map((pieces) => pieces.join(""));

/** The same, now and then with halves of surrogate pairs. */
export const anyText: fc.Arbitrary<string> = fc
  .tuple(someText, fc.array(fc.constantFrom("\ud83d", "\udc69", "\n"), { maxLength: 20 }), someText)
  .map(([front, halves, back]) => front + halves.join("") + back);

export const someLimits = fc.record({
  maxLines: fc.integer({ min: 1, max: 60 }),
  maxBytes: fc.integer({ min: 1, max: 1500 }),
});

/** Limits with room for a marker. */
export const roomyLimits = fc.record({
  maxLines: fc.integer({ min: 3, max: 60 }),
  maxBytes: fc.integer({ min: 400, max: 1500 }),
});

/** Without half of a surrogate pair. */
export function isWellFormed(text: string): boolean {
  return !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);
}
