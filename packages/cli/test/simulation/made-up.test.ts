import { expect, test } from "bun:test";
import { marksIn, type SyntheticCall, SyntheticWords } from "../../src/simulation/made-up.ts";
import type { RecordedCall } from "../../src/simulation/recorded.ts";
import { read, recorded, step } from "./recorded.ts";

function madeUp(call: RecordedCall): SyntheticCall {
  const made = SyntheticWords.of(recorded(step(0, { calls: [call] }))).findCall(call.result);
  if (!made) throw new Error("The record has this call.");
  return made;
}

const jsonLength = (value: unknown) => JSON.stringify(value).length;

test("a read names its file, and its offset where the record has one", () => {
  expect(madeUp({ ...read(1, 40), target: 15 }).input).toStrictEqual({
    filePath: "/project/src/part3/file15.ts",
  });
  expect(madeUp({ ...read(1, 40), target: 15, from: 0 }).input).toEqual({
    ...{ filePath: "/project/src/part3/file15.ts", offset: 0 },
  });
});

test("the arguments of other calls are as long as recorded, and have the fields of their tool", () => {
  for (const [tool, fields] of [
    ["edit", ["filePath", "oldString", "newString"]],
    ["write", ["filePath", "content"]],
    ["bash", ["command"]],
    ["grep", ["pattern"]],
    ["todowrite", ["text"]],
    ["other", ["text"]],
  ] as const) {
    const { input } = madeUp({ ...read(1, 40), tool, chars: 700 });
    expect(Object.keys(input)).toEqual([...fields]);
    expect(Math.abs(jsonLength(input) - 700)).toBeLessThan(3);
  }
});

test("an edit replaces as much as it brings", () => {
  const { oldString = "", newString = "" } = madeUp({
    ...{ ...read(1, 40), tool: "edit", chars: 700 },
  }).input;
  expect(String(oldString).length - String(newString).length).toBeOneOf([0, 1]);
  expect(oldString).not.toBe(newString);
});

test("two calls with one target ask the same in the same words, and what changes something differs", () => {
  for (const [tool, isEqual] of [
    ["bash", true],
    ["grep", true],
    ["write", false],
    ["edit", false],
    ["other", false],
  ] as const) {
    const [one, other] = [1, 2].map(
      (result) => madeUp({ ...read(result, 40), tool, target: 7, chars: 200 }).input,
    );
    expect([tool, jsonLength(one) > 0 && Bun.deepEquals(one, other)]).toEqual([tool, isEqual]);
  }
  const [from0, from9, unsaid] = [{ from: 0 }, { from: 9 }, {}].map(
    (from) => madeUp({ ...read(1, 40), tool: "bash", chars: 200, ...from }).input,
  );
  expect(from9).not.toEqual(from0);
  expect(unsaid ?? {}).toEqual(from0 ?? {});
});

test("a result has its recorded size as JSON, and words of its own", () => {
  for (const chars of [2, 40, 61, 500, 8_000]) {
    const { text } = madeUp(read(1, chars));
    // Quotes left out; where it is cut at the end of a word, the space goes.
    expect(chars - (jsonLength(text) - 2)).toBeOneOf([0, 1, 2]);
  }
  const texts = [1, 2].map((result) => madeUp(read(result, 500)).text);
  expect(texts[0]).not.toBe(texts[1] as string);
  for (let chars = 40; chars < 90; chars += 1) {
    const { text } = madeUp(read(1, chars));
    expect(text).toBe(text.trim());
  }
  expect(madeUp(read(1, 0)).text).toHaveLength(1);
});

test("each line of a text begins with a word that stands nowhere else", () => {
  const rows = madeUp(read(1, 4_000)).text.split("\n");
  expect(rows.length).toBeGreaterThan(50);
  expect(new Set(rows.map((row) => row.split(" ")[0])).size).toBe(rows.length);
  expect(Math.max(...rows.map(({ length }) => length))).toBeLessThan(60);
});

test("a call fails where the record says so, and one that isn't on record brings nothing", () => {
  expect(madeUp({ ...read(1, 40), failed: true }).outcome).toBe("failed");
  expect(madeUp({ ...read(1, 40), failed: false }).outcome).toBe("done");
  expect(madeUp(read(1, 40)).outcome).toBe("done");
  const words = SyntheticWords.of(recorded(step(0, { calls: [read(1, 40)] })));
  expect(words.findCall(2)).toBeNull();
  expect(words.findCall(1)).toBe(words.findCall(1));
});

test("one record has its words made once", () => {
  const record = recorded(step(0, { calls: [read(1, 40)] }));
  expect(SyntheticWords.of(record)).toBe(SyntheticWords.of(record));
});

test("the words that steps use stand apart in a result, each at the front of a line in place of another", () => {
  const used = [0, 1, 2].map((at) => step(at + 1, { needs: [1] }));
  const record = recorded(step(0, { calls: [read(1, 4_000)] }), ...used);
  const made = SyntheticWords.of(record).findCall(1)?.text ?? "";
  const rows = made.split("\n");
  const plain = madeUp(read(1, 4_000)).text.split("\n");
  const marked = rows.flatMap((row, at) => (marksIn(row).length > 0 ? [at] : []));
  expect(rows).toHaveLength(plain.length);
  expect(marksIn(made)).toEqual([...marksIn(made)].sort());
  expect(marked).toHaveLength(6);
  for (const [index, at] of marked.entries()) {
    expect(Math.abs(at / rows.length - (index + 0.5) / 6)).toBeLessThan(1 / rows.length);
    const words = plain[at]?.split(" ").slice(1);
    expect(rows[at]?.split(" ").slice(1)).toEqual(words ?? []);
  }
});

test("a result of one word still brings what a step uses", () => {
  const record = recorded(step(0, { calls: [read(1, 3)] }), step(1, { needs: [1] }));
  expect(marksIn(SyntheticWords.of(record).findCall(1)?.text ?? "")).toHaveLength(1);
});

test("a need that no call brings is none, and one named twice is one", () => {
  const needy = step(1, { needs: [1, 1, 8] });
  const words = SyntheticWords.of(recorded(step(0, { calls: [read(1, 400)] }), needy));
  expect(words.listNeeds(needy).map(({ result }) => result)).toEqual([1]);
  expect(words.listNeeds(step(5))).toEqual([]);
});

test("the words of late steps and results are seen, too", () => {
  const steps = Array.from({ length: 12 }, (_, at) => step(at, { calls: [read(at, 400)] }));
  const record = recorded(...steps, step(12, { needs: [10, 11] }));
  const text = SyntheticWords.of(record).findCall(11)?.text ?? "";
  expect(marksIn(text)).toEqual(["used12of11a", "used12of11b"]);
});

test("a step says as many characters as recorded, nothing where it only called, and enough to know a prompt and a closing answer by", () => {
  const silent = step(0, { chars: 0, calls: [read(1, 400)] });
  const talks = step(1, { chars: 50, calls: [read(2, 400)] });
  const empty = step(2, { chars: 0 });
  const uses = step(3, { chars: 0, needs: [1] });
  const usesAndCalls = step(4, { chars: 0, calls: [read(3, 400)], needs: [1] });
  const words = SyntheticWords.of(recorded(silent, talks, empty, uses, usesAndCalls));
  expect(words.createAnswer(silent, 0)).toBe("");
  // A space at the end goes.
  expect(words.createAnswer(talks, 1).length).toBeOneOf([49, 50]);
  expect(words.createAnswer(talks, 1)).toStartWith("s1of1c ");
  expect(words.createAnswer(empty, 2)).toBe("s2of1c");
  const [need] = words.listNeeds(uses);
  expect(words.createAnswer(uses, 3)).toBe([...(need?.marks ?? []), "s3of1c"].join(" "));
  const [both] = words.listNeeds(usesAndCalls);
  expect(words.createAnswer(usesAndCalls, 4)).toBe((both?.marks ?? []).join(" "));
  expect(words.createPrompt(50, 0).length).toBeOneOf([49, 50]);
  expect(words.createPrompt(50, 0)).not.toBe(words.createPrompt(50, 1));
  expect(words.createPrompt(1, 12)).toBe("u12of1c");
});
