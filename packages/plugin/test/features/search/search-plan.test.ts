import { expect, test } from "bun:test";
import { parseTerms } from "../../../src/features/search/query-words.ts";
import { search } from "../../../src/features/search/search.ts";
import type { Driver } from "../../../src/storage/driver.ts";

/** What is asked of the tables for a query, where each word stands in so many passages. */
function asked(counts: Readonly<Record<string, number>>) {
  const queries: { readonly sql: string; readonly query: string; readonly most: unknown }[] = [];
  const driver: Pick<Driver, "get" | "all"> = {
    get: (_, phrase) => ({ passages: counts[String(phrase).replaceAll('"', "")] ?? 0 }),
    all(sql, query, ...bounds) {
      queries.push({ sql, query: String(query), most: bounds.at(-1) });
      return [];
    },
  };
  search(
    driver as Driver,
    { first: 0, last: 9 },
    parseTerms(Object.keys(counts).join(" ")),
    () => false,
  );
  const of = (table: "words" | "pieces", order: string) =>
    queries
      .filter(({ sql }) => sql.includes(`FROM ${table} `) && sql.includes(order))
      .map(({ query }) => query);
  const ranked = of("words", "ORDER BY rank");
  return {
    byRank: ranked.filter((query) => !query.startsWith("NEAR")),
    near: ranked.filter((query) => query.startsWith("NEAR")),
    newest: of("words", "ORDER BY rowid"),
    pieces: of("pieces", "ORDER BY rowid"),
  };
}

test("words that stand somewhere are ranked together, the rarest first", () => {
  expect(asked({ heron: 50, owl: 30, finch: 0 }).byRank).toEqual(['"owl" OR "heron"']);
});

test("as many words are ranked as stand in 2,000 passages together, and the rarest in any case", () => {
  expect(asked({ heron: 1_000, owl: 999, wren: 1 }).byRank).toEqual(['"wren" OR "owl" OR "heron"']);
  expect(asked({ heron: 1_000, owl: 1_000, wren: 1 }).byRank).toEqual(['"wren" OR "heron"']);
});

test("a word of more than 1,000 passages ranks nothing: words that are all common must stand together", () => {
  expect(asked({ heron: 1_000 }).byRank).toEqual(['"heron"']);
  const common = asked({ heron: 1_001, owl: 1_001 });
  expect([common.byRank, common.newest]).toEqual([[], ['"heron" AND "owl"']]);
  const mixed = asked({ heron: 1_001, owl: 3 });
  expect([mixed.byRank, mixed.newest]).toEqual([['"owl"'], []]);
  expect(asked({ heron: 0 }).newest).toEqual([]);
});

test("pairs of the five rarest words are looked for side by side", () => {
  expect(asked({ heron: 50, owl: 30 }).near).toEqual(['NEAR("owl" "heron", 6)']);
  expect(asked({ heron: 50 }).near).toEqual([]);
  expect(asked({ heron: 50, owl: 0, wren: 1_001 }).near).toEqual([]);
  expect(asked({ heron: 1_000, owl: 1 }).near).toEqual(['NEAR("owl" "heron", 6)']);
  const six = asked({ aa: 60, bb: 50, cc: 40, dd: 30, ee: 20, ff: 10 }).near;
  expect(six[0]?.split(" OR ")).toHaveLength(10);
  expect(six[0]).not.toContain("aa");
});

test("six words that stand in fewer than 20 passages are looked for as pieces of others", () => {
  const grams = (counts: Readonly<Record<string, number>>) =>
    asked(counts).pieces.filter((query) => !query.includes("AND"));
  expect(grams({ owl: 19, kit: 20, ow: 0 })).toEqual(['"owl"']);
  const many = { aaa: 0, bbb: 0, ccc: 0, ddd: 0, eee: 0, fff: 0, ggg: 0 };
  expect(grams(many)).toHaveLength(6);
});
