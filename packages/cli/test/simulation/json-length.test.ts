import { expect, test } from "bun:test";
import fc from "fast-check";
import { jsonLength } from "../../src/simulation/json-length.ts";

const written = (text: string) => JSON.stringify(text).length - 2;

test("a text is as long as JSON writes it, whatever stands in it", () => {
  const all = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code));
  for (const text of all) if (jsonLength(text) !== written(text)) expect(text).toBe("");
  const halves = fc.constantFrom("\ud800", "\udbff", "\udc00", "\udfff", "a", '"', "\n", "\0");
  fc.assert(
    fc.property(fc.string({ unit: halves }), (text) => {
      expect(jsonLength(text)).toBe(written(text));
    }),
  );
  expect(jsonLength("")).toBe(0);
});
