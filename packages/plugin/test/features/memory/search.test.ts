import { expect, test } from "bun:test";
import { searchTexts, toSearchableText } from "../../../src/features/memory/search.ts";
import { parseTerms } from "../../../src/features/search/query-words.ts";

/** The texts that are found, best first. */
const found = (query: string, ...texts: readonly string[]) =>
  searchTexts(
    texts.map((text) => toSearchableText(text, text)),
    parseTerms(query),
  );

test("a whole word comes before a piece of one, and a short text before a long one", () => {
  expect(found("port", "A report of it.", "The port of it.")).toEqual([
    "The port of it.",
    "A report of it.",
  ]);
  expect(found("heron", "The heron nests here.", "A heron.")).toEqual([
    "A heron.",
    "The heron nests here.",
  ]);
  // A piece first, and the word further on.
  expect(found("port", "The report names the port.", "A port is open, as the list says.")).toEqual([
    "The report names the port.",
    "A port is open, as the list says.",
  ]);
});

test("two letters are found as a word only", () => {
  expect(found("db", "The db is slow.", "A feedback.", "db", "db2", "xdb")).toEqual([
    "db",
    "The db is slow.",
  ]);
});

test("a word ends where no letter or digit of any script follows", () => {
  for (const text of ["(db)", "a-db_b", "db.", "x db", "「db」", "db\u00a0x"]) {
    expect(found("db", text)).toEqual([text]);
  }
  for (const text of ["db1", "0db", "dbz", "adb", "dbé", "ядb", "db語", "9db9"]) {
    expect(found("db", text)).toEqual([]);
  }
});

test("case doesn't count, and nothing is found by nothing", () => {
  expect(found("HERON", "A Heron.")).toEqual(["A Heron."]);
  expect([found("", "A heron."), found("heron"), found("owl", "A heron.")]).toEqual([[], [], []]);
});

test("rare words weigh more than common ones; what matches too little of a question is left out", () => {
  const many = Array.from({ length: 20 }, (_, at) => `The service number ${at} listens.`);
  expect(found("service flummoxite", ...many, "A flummoxite.")).toEqual(["A flummoxite."]);
  expect(found("alpha beta", "alpha", "beta gamma").toSorted()).toEqual(["alpha", "beta gamma"]);
  const three = ["alpha only", "alpha beta both"];
  expect(found("alpha beta gamma", ...three)).toEqual(["alpha beta both"]);
});
