import { expect, test } from "bun:test";
import { joinTerms, parseTerms } from "../../../src/features/search/query-words.ts";
import { toPiecesColumn, toWordsColumn } from "../../../src/search-index/columns.ts";

const texts = (query: string) => parseTerms(query).map(({ text }) => text);

test("a query is its words in lower case, each once, without what stands around them", () => {
  expect(texts("  Heron (heron), KESTREL!\n“owl”  ")).toEqual(["heron", "kestrel", "owl"]);
  expect(texts("((wren)).")).toEqual(["wren"]);
  expect(parseTerms(" ?! \0 -- ")).toEqual([]);
});

test("words of any question are left out, unless there are no others", () => {
  expect(texts("what is the port of this database")).toEqual(["port", "database"]);
  expect(texts("what is the")).toEqual(["what", "is", "the"]);
});

test("a path is looked for as a whole and by each of its names", () => {
  expect(texts("src/login.test.ts")).toEqual(["src/login.test.ts", "src", "login", "test", "ts"]);
  expect(texts("login")).toEqual(["login"]);
});

test("of a run without spaces each pair of neighbours is looked for, too", () => {
  expect(texts("数据库端")).toEqual(["数据库端", "数据", "据库", "库端"]);
  expect(texts("端口")).toEqual(["端口"]);
  expect(texts("port端口")).toEqual(["port端口", "端口"]);
});

test("32 words are looked for at most, of the first 4,000 characters", () => {
  const many = Array.from({ length: 40 }, (_, at) => `word${at}`);
  expect(texts(many.join(" "))).toEqual(many.slice(0, 32));
  expect(texts(`${" ".repeat(3_994)}heron kestrel`)).toEqual(["heron"]);
});

test("a term is one quoted phrase, whatever stands in it", () => {
  const [term] = parseTerms('he"ron*');
  expect(term).toMatchObject({ text: 'he"ron', phrase: '"he ron"' });
  expect(parseTerms("端口")[0]?.phrase).toBe('" 端  口 "');
});

test("pieces are all trigrams of a short word, and eight at most, spread over a long one", () => {
  const pieces = (query: string) => parseTerms(query)[0]?.pieces;
  expect(pieces("heron")).toBe('"her" AND "ero" AND "ron"');
  expect(pieces("owl")).toBe('"owl"');
  expect(pieces("ow")).toBeNull();
  expect(pieces("端口")).toBeNull();
  expect(pieces("banana")).toBe('"ban" AND "ana" AND "nan"');
  const long = pieces("abcdefghijklmnopqrst")?.split(" AND ") ?? [];
  expect(long).toEqual(['"abc"', '"def"', '"ghi"', '"jkl"', '"mno"', '"pqr"']);
  expect(pieces("abcdefghij")?.split(" AND ")).toHaveLength(8);
});

test("neighbours are joined as code joins them, six names at most", () => {
  const names = (query: string) => joinTerms(parseTerms(query)).map(({ text }) => text);
  expect(names("max manifest entries")).toEqual(["maxmanifest", "manifestentries"]);
  expect(names("max x entries")).toEqual([]);
  expect(names("max a.bc")).toEqual([]);
  expect(names("one2 two3 three4 four5 five6 six7 seven8 eight9")).toHaveLength(6);
});

test("each character of a script without spaces is a word, and no piece", () => {
  // A mark belongs to its character.
  expect(toWordsColumn("port 端口 กี")).toBe("port  端  口   กี ");
  expect(toPiecesColumn("port 端口x")).toBe("port   x");
  expect([toWordsColumn("plain"), toPiecesColumn("plain")]).toEqual(["plain", "plain"]);
  expect(toWordsColumn("é\u0000b\ud800c\ufffdd")).toBe("é b c d");
});
