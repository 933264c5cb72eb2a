import { expect, test } from "bun:test";
import { run } from "../src/run.ts";
import { PLAIN } from "../src/terminal/style.ts";
import { fitted, wrapped } from "../src/terminal/wrap.ts";

test("a line breaks between words, keeps its indent, and a path in one piece", () => {
  expect(wrapped("    Fix:   one two three", 16)).toEqual(["    Fix:   one", "    two three"]);
  expect(wrapped("see /a/path/that/is/long now", 8)).toEqual([
    "see",
    "/a/path/that/is/long",
    "now",
  ]);
  expect(wrapped("one\n\ntwo", 80)).toEqual(["one", "", "two"]);
});

test("a pipe gets the text as it is", () => {
  expect(fitted("one two three", { isTTY: false, columns: 5 })).toBe("one two three");
  expect(fitted("one two three", { isTTY: true, columns: 8 })).toBe("one two\nthree");
});

test("an error in a narrow terminal breaks inside no word", async () => {
  const pieces: string[] = [];
  const err = { isTTY: true, columns: 30, write: (text: string) => pieces.push(text) };
  const plain = { style: PLAIN, errStyle: PLAIN, columns: 30, isInteractive: false, env: {} };
  expect(await run(["docter"], { ...plain, err, out: err }, "1.0.0")).toBe(2);
  const lines = pieces.join("").split("\n");
  expect(lines.length).toBeGreaterThan(3);
  // The path of the script is one word.
  const several = lines.filter((line) => line.trim().includes(" "));
  for (const line of several) expect(line.length).toBeLessThanOrEqual(30);
  expect(lines.join(" ").replace(/ +/g, " ")).toContain("Did you mean doctor?");
});
