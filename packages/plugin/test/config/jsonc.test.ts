import { describe, expect, test } from "bun:test";
import { readJsonc } from "../../src/config/jsonc.ts";

function value(text: string): unknown {
  const read = readJsonc(text);
  if (read.kind !== "value") throw new Error(`${read.line}:${read.column} ${read.reason}`);
  return read.value;
}

describe("JSONC", () => {
  test("comments, trailing commas and a byte order mark are read", () => {
    const text = '\uFEFF{ // line\n "a": [1, 2,], /* block */ "b": {"c": null, "d": true},\n}';
    expect(value(text)).toEqual({ a: [1, 2], b: { c: null, d: true } });
  });

  test("comment signs in a string stay", () => {
    expect(value('{"url": "http://x//y", "glob": "/*,}*/"}')).toEqual({
      url: "http://x//y",
      glob: "/*,}*/",
    });
  });

  test("a text without a value is an empty object", () => {
    expect(value("")).toEqual({});
    expect(value("// nothing yet\n")).toEqual({});
  });

  test("the last of a repeated key wins", () => {
    expect(value('{"a": 1, "a": 2}')).toEqual({ a: 2 });
  });

  test("a text that does not parse gives line and column, counted from 1", () => {
    expect(readJsonc('{"a": 1,\r\n "b": ] }')).toEqual({
      kind: "broken",
      line: 2,
      column: 7,
      reason: "value expected",
    });
    expect(readJsonc("{")).toMatchObject({ kind: "broken", line: 1 });
    expect(readJsonc('{"a": 1} rest')).toMatchObject({ kind: "broken", line: 1, column: 10 });
    expect(readJsonc("\u0000\u0001binary")).toMatchObject({ kind: "broken" });
  });

  test("a text of nothing but brackets is broken, not a crash", () => {
    expect(readJsonc("[".repeat(900_000)).kind).toBe("broken");
  });

  test("__proto__ is an own property and reaches no prototype", () => {
    const read = value('{"__proto__": {"enabled": false}, "a": 1}');
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect(Object.keys(read as object)).toEqual(["__proto__", "a"]);
    expect(({} as Record<string, unknown>).enabled).toBeUndefined();
  });
});
