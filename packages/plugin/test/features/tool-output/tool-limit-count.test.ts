import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import {
  findToolExcess,
  parseStatedTools,
} from "../../../src/features/tool-output/create-tool-limits.ts";

const own = ["ctx_memory", "ctx_search", "ctx_expand", "ctx_reduce"];
const offered = { providerId: "openai", own, others: 125 };

describe("which of our tools stand aside", () => {
  test("as many as are over the limit and no more, and the way back goes last", () => {
    fc.assert(
      fc.property(
        fc.subarray(own),
        fc.nat(200),
        fc.integer({ min: 1, max: 200 }),
        (mine, others, most) => {
          const aside = findToolExcess({ ...offered, own: mine, others }, { most, others: null });
          const names = aside?.names ?? [];
          const left = mine.filter((name) => !names.includes(name));
          expect(new Set(names).size).toBe(names.length);
          // Fits, or nothing of ours is left; and none goes that would have fitted.
          expect(left.length + others <= most || left.length === 0).toBe(true);
          expect(names.length === 0 || left.length + 1 + others > most).toBe(true);
          const order = ["ctx_search", "ctx_expand"].filter((name) => mine.includes(name));
          expect(left.filter((name) => order.includes(name)).sort()).toEqual(
            order.slice(0, Math.min(left.length, order.length)).sort(),
          );
        },
      ),
    );
  });

  test("none where the provider is not known to be bounded, or nobody knows the count", () => {
    expect(findToolExcess({ ...offered, providerId: "anthropic", others: 500 }, null)).toBeNull();
    expect(findToolExcess({ ...offered, others: null }, null)).toBeNull();
    expect(findToolExcess(offered, null)).toEqual({ most: 128, names: ["ctx_reduce"] });
  });

  test("by the count of the refused call where the host names none, and all where the provider gave none", () => {
    const unnamed = { ...offered, providerId: "acme", others: null };
    expect(findToolExcess(unnamed, { most: 64, others: 62 })?.names).toEqual([
      "ctx_reduce",
      "ctx_memory",
    ]);
    expect(findToolExcess(unnamed, { most: 64, others: null })?.names).toEqual(own);
  });
});

const REFUSALS: readonly (readonly [string, ReturnType<typeof parseStatedTools>])[] = [
  [
    "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 142 instead.",
    { most: 128, sent: 142 },
  ],
  [
    '{"error":{"message":"Invalid \'tools\': array too long. Expected an array with maximum length 128, but got an array with length 309 \\n instead."}}',
    { most: 128, sent: 309 },
  ],
  ["'tools' : maximum number of items is 128", { most: 128, sent: null }],
  ["You may not include more than 128 tools in your request.", { most: 128, sent: null }],
  [
    "tools[0].function_declarations: [FIELD_INVALID] At most 512 function declarations can be specified.",
    { most: 512, sent: null },
  ],
  [
    "Invalid 'input': array too long. Expected an array with maximum length 128, but got an array with length 142 instead.",
    null,
  ],
  ["prompt is too long: 210000 tokens > 200000 maximum", null],
  ["'tools' : maximum number of items is 0", null],
];

test.each(REFUSALS)("a refusal states how many tools the provider takes: %s", (refusal, stated) => {
  expect(parseStatedTools(refusal)).toEqual(stated);
});
