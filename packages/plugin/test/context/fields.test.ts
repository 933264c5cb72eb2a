import { expect, test } from "bun:test";
import { isFields, parseFields, toFields } from "../../src/context/fields.ts";

test("only an object has fields", () => {
  expect(toFields({ name: 1 })).toEqual({ name: 1 });
  for (const value of [null, undefined, "text", 3, true, ["element"]]) {
    expect(isFields(value)).toBe(false);
    expect(toFields(value)).toEqual({});
  }
});

test("a text has fields where it is an object as JSON", () => {
  expect(parseFields('{"name": 1}')).toEqual({ name: 1 });
  for (const text of ["", "{", "null", "[1]", '"text"']) expect(parseFields(text)).toBeNull();
});
