import { expect, test } from "bun:test";
import fc from "fast-check";
import { computeSimilarities, findNearest } from "../../../src/features/search/vector-store.ts";

const unit = (numbers: readonly number[]) => {
  const length = Math.hypot(...numbers);
  return Float32Array.from(numbers, (one) => one / length);
};

function createVectorBlock(
  rows: readonly (readonly number[])[],
  names = rows.map((_, at) => `${at}`),
) {
  const width = rows[0]?.length ?? 0;
  const numbers = new Float32Array(rows.length * width);
  for (const [at, row] of rows.entries()) numbers.set(unit(row), at * width);
  return { items: names, numbers };
}

test("V6: the likeness is the cosine, whatever the width, of every row", () => {
  const rows = fc.integer({ min: 1, max: 19 }).chain((width) => {
    const row = fc
      .array(fc.double({ min: -9, max: 9, noNaN: true }), { minLength: width, maxLength: width })
      .filter((numbers) => Math.hypot(...numbers) > 0.01);
    return fc.tuple(fc.array(row, { minLength: 1, maxLength: 6 }), row);
  });
  fc.assert(
    fc.property(rows, ([all, query]) => {
      const block = createVectorBlock(all);
      const found = computeSimilarities(block.numbers, all.length, unit(query));
      for (const [at, row] of all.entries()) {
        const scalar = row.reduce((sum, one, place) => sum + one * (query[place] ?? 0), 0);
        const cosine = scalar / (Math.hypot(...row) * Math.hypot(...query));
        expect(found[at]).toBeCloseTo(cosine, 4);
      }
    }),
    { numRuns: 300 },
  );
});

test("of a few, the three nearest that point the same way at all, over all blocks, best first", () => {
  const blocks = [
    createVectorBlock(
      [
        [1, 0],
        [0, 1],
        [-1, 0],
      ],
      ["same", "across", "against"],
    ),
    createVectorBlock(
      [
        [1, 0.2],
        [1, 1],
        [1, 0.5],
      ],
      ["near", "half", "nearer"],
    ),
  ];
  const found = findNearest(blocks, unit([1, 0]), 9);
  expect(found.map(({ item }) => item)).toEqual(["same", "near", "nearer"]);
  expect(found[0]?.likeness).toBeCloseTo(1, 5);
  expect(findNearest(blocks, unit([1, 0]), 2).map(({ item }) => item)).toEqual(["same", "near"]);
  expect(findNearest([], unit([1, 0]), 9)).toEqual([]);
});

test("V6: of many, only what stands out from what all have in common", () => {
  // All texts look alike to some models: what is 0.8 for every pair says nothing.
  const alike = Array.from({ length: 200 }, (_, at) => [5, Math.sin(at), Math.cos(at * 7)]);
  const blocks = [createVectorBlock(alike), createVectorBlock([[1, 4, 0]], ["the one"])];
  expect(findNearest(blocks, unit([1, 4, 0]), 5)[0]?.item).toBe("the one");
  expect(findNearest(blocks, unit([1, 4, 0]), 99).length).toBeLessThan(12);
  const same = [createVectorBlock(Array.from({ length: 50 }, () => [1, 0]))];
  expect(findNearest(same, unit([1, 0]), 4)).toHaveLength(4);
});

test("twenty are enough for a mean, nineteen are not", () => {
  const same = (count: number) => [createVectorBlock(Array.from({ length: count }, () => [1, 0]))];
  expect(findNearest(same(19), unit([1, 0]), 99)).toHaveLength(3);
  expect(findNearest(same(20), unit([1, 0]), 99)).toHaveLength(20);
});
