import { expect, test } from "bun:test";
import fc from "fast-check";
import { z } from "zod";
import { encode, hashText, toCanonicalJson } from "../../src/context/canonical.ts";

function refusal(value: unknown): unknown {
  try {
    return toCanonicalJson(value);
  } catch (error) {
    return error;
  }
}

/** The same value with the keys of every object in another order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).toReversed();
  return Object.fromEntries(members.map(([name, member]) => [name, reversed(member)]));
}

test("keys are in code-unit order at all depths, arrays in their own", () => {
  const value = { b: [2, 1, { é: null, z: true, Z: "x", "10": 0, "9": 0 }], a: {} };
  expect(toCanonicalJson(value)).toBe(
    '{"a":{},"b":[2,1,{"10":0,"9":0,"Z":"x","z":true,"é":null}]}',
  );
});

test("canonical JSON reads back as the value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(toCanonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("the order of keys never shows in text or hash", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const [text, other] = [toCanonicalJson(value), toCanonicalJson(reversed(value))];
      expect(other).toBe(text);
      expect(hashText(other)).toBe(hashText(text));
    }),
  );
});

test("different values have different texts and hashes", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
      const same = Bun.deepEquals(
        JSON.parse(toCanonicalJson(left)),
        JSON.parse(toCanonicalJson(right)),
      );
      expect(toCanonicalJson(left) === toCanonicalJson(right)).toBe(same);
      expect(hashText(toCanonicalJson(left)) === hashText(toCanonicalJson(right))).toBe(same);
    }),
  );
});

test("canonical JSON is well-formed Unicode, so that it stores as it is", () => {
  expect(toCanonicalJson({ "\ud800": "\udfff" })).toBe('{"\\ud800":"\\udfff"}');
});

test("an own property by the name of __proto__ is data", () => {
  const value: unknown = JSON.parse('{"__proto__":{"a":1}}');
  expect(toCanonicalJson(value)).toBe('{"__proto__":{"a":1}}');
  expect(toCanonicalJson(Object.assign(Object.create(null), { b: 1 }))).toBe('{"b":1}');
});

test("a property that holds undefined is left out", () => {
  expect(toCanonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}');
});

test("the same object in two places is no cycle", () => {
  const shared = { a: 1 };
  expect(toCanonicalJson([shared, { shared }])).toBe('[{"a":1},{"shared":{"a":1}}]');
});

test("what JSON can't hold is refused with its place and reason", () => {
  const cycle: unknown[] = [];
  cycle.push({ again: cycle });
  const cases: readonly (readonly [unknown, string, string])[] = [
    [undefined, "$", "undefined"],
    [Number.NaN, "$", "NaN"],
    [{ a: [0, Number.NEGATIVE_INFINITY] }, "$.a[1]", "-Infinity"],
    [[1n], "$[0]", "bigint"],
    // biome-ignore lint/suspicious/noSparseArray: a hole is what is refused here
    [[1, , 3], "$[1]", "undefined"],
    [{ f: () => 0 }, "$.f", "function"],
    [{ s: Symbol("s") }, "$.s", "symbol"],
    [{ when: new Date(0) }, "$.when", "an instance of a class"],
    [new Map(), "$", "an instance of a class"],
    [cycle, "$[0].again", "a cycle"],
  ];
  for (const [value, path, reason] of cases) {
    expect(refusal(value)).toMatchObject({
      name: "NotJsonError",
      code: "value_not_json",
      path,
      reason,
      message: `A value can't be stored as JSON: ${reason} at ${path}.`,
    });
  }
});

test("hashes are xxHash64 as 16 hex digits", () => {
  expect(hashText("")).toBe("ef46db3751d8e999");
  expect(hashText("a")).toBe("d24ec4f1a98c6e5b");
  expect(hashText("é😀")).toBe(Bun.hash.xxHash64("é😀").toString(16).padStart(16, "0"));
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(hashText(text)).toBe(Bun.hash.xxHash64(text).toString(16).padStart(16, "0"));
    }),
  );
});

test("I20: a value that is the same object is encoded once per schema", () => {
  let encodings = 0;
  const counted = () =>
    z.codec(z.string(), z.object({ text: z.string() }), {
      decode: (text) => ({ text }),
      encode: ({ text }) => {
        encodings += 1;
        return text;
      },
    });
  const schema = counted();
  const value = { text: "x" };
  expect(encode(schema, value)).toBe(encode(schema, value));
  expect(encodings).toBe(1);
  expect(encode(schema, { text: "x" })).toEqual(encode(schema, value));
  expect(encodings).toBe(2);
  encode(counted(), value);
  expect(encodings).toBe(3);
});

test("I20: of texts the newest are remembered, and of many not all", () => {
  let encodings = 0;
  const counted = z.codec(z.string(), z.string(), {
    decode: (text) => text,
    encode: (text) => {
      encodings += 1;
      return text;
    },
  });
  const texts = Array.from({ length: 40 }, (_, index) => `text ${index}`);
  for (const text of texts) expect(encode(counted, text).json).toBe(JSON.stringify(text));
  expect(encodings).toBe(40);
  for (const text of texts.slice(-8)) encode(counted, text);
  expect(encodings).toBe(40);
  encode(counted, "text 0");
  expect(encodings).toBe(41);
});

test("primitive values are encoded by value", () => {
  expect(encode(z.string(), "x").json).toBe('"x"');
  expect(encode(z.null(), null).json).toBe("null");
});
