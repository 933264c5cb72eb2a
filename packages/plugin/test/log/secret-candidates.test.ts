import { expect, test } from "bun:test";
import { findCandidates } from "../../src/log/secret-likeness.ts";

/** Each by its text, where it stands, and how much it looks like a secret. */
const found = (text: string, offset = 0) =>
  findCandidates(text, offset).map(
    ({ text: word, start, likeness }) => `${start} ${word} ${likeness}`,
  );

test("a word stands between spaces, without what stands around it", () => {
  expect(found("(hunter2), [hunter3]: *hunter4*")).toEqual([
    ...["1 hunter2 weak", "12 hunter3 weak", "23 hunter4 weak"],
  ]);
  expect(found("hunter2.) ’hunter3’…")).toEqual(["0 hunter2 weak", "11 hunter3 weak"]);
  expect(found("hunter2*horse99")).toEqual(["0 hunter2*horse99 strong"]);
  expect(found("((hunter2")).toEqual(["2 hunter2 weak"]);
});

test("plain words are none, whatever ends them", () => {
  expect(found("Plain words, and: some; more. I a")).toEqual([]);
});

test("each ends where it ends, and an offset is added to its place", () => {
  const [one] = findCandidates("is hunter2.", 10);
  expect(one).toEqual({ text: "hunter2", start: 13, end: 20, likeness: "weak" });
});

test.each([
  ['"tournesol"', "1 tournesol words"],
  ["`tournesol`", "1 tournesol words"],
  ["'tournesol'", "1 tournesol words"],
  ["„tournesol“", "1 tournesol words"],
  ["“tournesol”", "1 tournesol words"],
  ["«tournesol»", "1 tournesol words"],
  ["「tournesol」", "1 tournesol words"],
  ["『tournesol』", "1 tournesol words"],
  ["‘tournesol’", "1 tournesol words"],
  ['"three blind mice"', "1 three blind mice words"],
  ['" tournesol "', "2 tournesol words"],
  ["“hunter2”", "1 hunter2 weak"],
])("in quotes of any kind: %s", (text, word) => expect(found(text)).toEqual([word]));

test("a quotation has 120 characters at most, on one line", () => {
  const long = (length: number) => `"${"hunter2 ".repeat(20).slice(0, length - 1)}x"`;
  expect(found(long(120)).length).toBeGreaterThan(0);
  expect(found('"hunter2\nand"')).toEqual(["1 hunter2 weak"]);
});

test("an apostrophe within a word opens no quotation", () => {
  expect(found("it's hunter2, isn't it")).toEqual(["5 hunter2 weak"]);
});

test("a quotation that speaks of a secret is a sentence itself", () => {
  expect(found('"the password is hunter2"')).toEqual(["17 hunter2 weak"]);
  expect(found('"password"')).toEqual([]);
  expect(found('"what he said of hunter2 today, twice"')).toEqual(["17 hunter2 weak"]);
});

test("characters of scripts without spaces end a word", () => {
  expect(found("密码是hunter2。hunter3，hunter4！")).toEqual([
    ...["3 hunter2 weak", "11 hunter3 weak", "19 hunter4 weak"],
  ]);
});
