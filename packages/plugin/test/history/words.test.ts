import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { toWellFormed } from "../../src/context/source.ts";
import {
  clipText,
  extractGist,
  findDecisions,
  findErrorLines,
  findFirstSentence,
  findLastSentence,
  findStrikingLines,
  listCandidateLines,
  trimTrailingSurrogate,
} from "../../src/history/words.ts";
import { timesAsLong } from "../processor-time.ts";

const errors = (text: string, most: number) => findErrorLines(listCandidateLines(text), most);
const striking = (text: string, most: number) => findStrikingLines(listCandidateLines(text), most);

describe("words of a text", () => {
  test("are cut at a word, in one line, and never within a character", () => {
    expect(clipText("one\n  two", 20)).toBe("one two");
    expect(clipText("one two three", 9)).toBe("one two…");
    expect(clipText("x".repeat(30), 10)).toBe(`${"x".repeat(9)}…`);
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.integer({ min: 2, max: 40 }),
        (text, most) => {
          const cut = clipText(text, most);
          expect(cut.length).toBeLessThanOrEqual(most);
          expect(toWellFormed(cut)).toBe(cut);
          expect(cut).not.toContain("\n");
        },
      ),
    );
  });

  test("are cut with a mark where more stands beyond what was looked at", () => {
    expect(clipText("one two", 7)).toBe("one two");
    expect(clipText("one twos", 7)).toBe("one tw…");
    expect(clipText("ones two", 7)).toBe("ones…");
    expect(clipText(`one${" ".repeat(30)}x`, 7)).toBe("one…");
    expect(clipText(`one${" ".repeat(22)}two`, 7)).toBe("one two");
    expect(clipText("abcdefgh ij", 10)).toBe("abcdefgh…");
    expect(clipText("ab cdefghijk", 10)).toBe("ab cdefgh…");
    expect(trimTrailingSurrogate("a\u{1f600}")).toBe("a\u{1f600}");
    expect(trimTrailingSurrogate("a\u{1f600}".slice(0, 2))).toBe("a");
  });

  test("begin and end with a sentence", () => {
    const text = "# Done.\n\nI did it. All is well!\n- Next: rest.";
    expect(findFirstSentence(text)).toBe("Done.");
    expect(findLastSentence(text)).toBe("rest.");
    expect([findFirstSentence(""), findLastSentence("---")]).toEqual(["", ""]);
  });

  test("begin and end within 4,000 characters of either end", () => {
    const long = `${"x".repeat(5_000)}. Last.`;
    expect(findFirstSentence(long)).toHaveLength(4_000);
    expect(findLastSentence(long)).toBe("Last.");
    expect(findFirstSentence("价格以分为单位。 好")).toBe("价格以分为单位。");
    expect(findFirstSentence("> - * ## One: two")).toBe("One:");
  });

  test("have a gist: what they settle, how they begin and how they end", () => {
    const first = "It is red.";
    const last = "We use pnpm instead of npm.";
    for (const chars of [0, 1, 3_961, 3_962, 3_963, 20_000]) {
      const text = `${first} Always. ${"x".repeat(chars)}. ${last}`;
      const looked = findDecisions(text);
      expect(extractGist(text)).toEqual({
        decided: looked,
        first: findFirstSentence(text),
        last: findLastSentence(text),
      });
      expect(extractGist(text)).toMatchObject({ first, last });
      expect(looked.length).toBe(chars < 16_000 ? 2 : 1);
    }
    expect(extractGist("---")).toEqual({ decided: [], first: "", last: "" });
    const whole = "x".repeat(4_000);
    expect(extractGist(whole)).toEqual({ decided: [], first: whole, last: whole });
    expect(extractGist(`${whole}y`)).toEqual({
      decided: [],
      first: whole,
      last: `${whole}y`.slice(1),
    });
  });

  test("settle something by each of these words, and by no other", () => {
    const settled = [
      "It was decided so.",
      "We are deciding it.",
      "Tabs because of Ann.",
      "Tabs rather than spaces.",
      "It must not wait.",
      "Never wait.",
      "It is agreed.",
      "It turns out well.",
      "Turn out the light.",
      "The reason is DNS.",
      "The fix was easy.",
      "The root cause was it.",
      "From now on tabs.",
      "Remember it.",
      "I preferred tabs.",
      "She chose tabs.",
      "We settled on tabs.",
      "We will use tabs.",
      "We should use tabs.",
      "We use tabs for code.",
      "I use pnpm not npm.",
    ];
    expect(findDecisions(settled.join("\n"))).toEqual(settled);
    const others = ["We use tabs.", "The problem has gone.", "Mustard.", "It settled."];
    expect(findDecisions(others.join("\n"))).toEqual([]);
    expect(findDecisions(`${"x".repeat(16_000)}\nAlways.`)).toEqual([]);
  });

  test("settle something", () => {
    const text =
      "It is red. We use pnpm instead of npm. Always ask first. The cause was DNS. Fine.";
    expect(findDecisions(text)).toEqual([
      "We use pnpm instead of npm.",
      "Always ask first.",
      "The cause was DNS.",
    ]);
  });

  test("say that something failed", () => {
    const text = "ok\nERROR: no such table\nok\nError: timed out\nERROR: no such table";
    expect(errors(text, 5)).toEqual(["ERROR: no such table", "Error: timed out"]);
    expect(errors(text, 1)).toHaveLength(1);
  });

  test("say that something failed in many ways", () => {
    const failed = [
      "2 errors",
      "1 failure",
      "it fails",
      "an exception",
      "panic: x",
      "fatal: x",
      "cannot open",
      "can't open",
      "undefined reference to x",
      "Traceback (most recent)",
      "permission denied",
      "file not found",
      "time out of 3 s",
      "it timed out",
      "✗ login",
      "✘ login",
      "TS2304: a name",
    ];
    const said = failed.filter((line) => line !== "time out of 3 s" && line !== "it timed out");
    expect(errors(said.join("\n"), 99)).toEqual(said);
    expect(errors("it timed out\nit timeout\nit time out", 99)).toHaveLength(3);
    expect(errors("all well\nT2\nmistaken terrors", 99)).toEqual([]);
  });

  test("stand out from lines that are alike, in their order", () => {
    const alike = Array.from({ length: 200 }, (_, n) => `checked module ${n} of the tree`);
    const lines = [
      ...alike.slice(0, 120),
      "DEPLOY_TOKEN=zebra-77",
      ...alike.slice(120),
      "budget: 4,200 euros",
    ];
    expect(striking(lines.join("\n"), 2)).toEqual(["DEPLOY_TOKEN=zebra-77", "budget: 4,200 euros"]);
    expect(striking("one\ntwo", 3)).toEqual(["one", "two"]);
    expect(striking("", 3)).toEqual([]);
  });

  test("stand out by a name with a value, or by a figure", () => {
    const alike = Array.from({ length: 20 }, (_, n) => `checked the module ${n % 3}`);
    for (const line of ["port: 80", "name => x", "key = b", "on 2026-03-04", "took 1,200 ms"]) {
      expect(striking([...alike, line, ...alike].join("\n"), 1)).toEqual([line]);
    }
    expect(striking("aa bb\ncc 120", 1)).toEqual(["cc 120"]);
    expect(striking("aa bb\ncc 12", 1)).toEqual(["aa bb"]);
    expect(striking("aa bb\ncc=dd", 1)).toEqual(["cc=dd"]);
    expect(striking("aa bb\ncc 1.5", 1)).toEqual(["cc 1.5"]);
    expect(striking("aa bb\ncc 1-", 1)).toEqual(["aa bb"]);
    // Of lines of one shape those with a value come first.
    const plain = ["checked one module", "checked two module", "checked key: value"];
    expect(striking(plain.join("\n"), 1)).toEqual(["checked key: value"]);
    expect(striking(["aa bb", "cc: dd", "- : -"].join("\n"), 1)).toEqual(["cc: dd"]);
  });

  test("are alike whatever words and figures they have, of whatever length", () => {
    expect(striking("aa 1 bb\naa 22 bb\nok, so", 1)).toEqual(["ok, so"]);
    expect(striking("aa - b\nc - dd\nok, so", 1)).toEqual(["ok, so"]);
  });

  test("are no lines of data: beyond 240 characters none stands out", () => {
    const data = (chars: number) => `key: ${"v".repeat(chars - "key: ".length)}`;
    expect(striking(`aa bb\n${data(240)}`, 1)).toEqual([data(240)]);
    expect(striking(`aa bb\n${data(241)}`, 1)).toEqual(["aa bb"]);
    expect(errors(`error: ${"v".repeat(240)}`, 1)).toEqual([]);
  });

  test("stand out by words that no other line has", () => {
    const alike = Array.from({ length: 10 }, () => "checked each module here");
    const rare = "visited that heron there";
    expect(striking([...alike, rare, ...alike].join("\n"), 1)).toEqual([rare]);
    const rarer = "visited some owls outside";
    expect(striking([rare, ...alike, rarer].join("\n"), 1)).toEqual([rare]);
  });

  test("of a text are those of both of its ends, in their order, where it has more than 240", () => {
    const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 10}`);
    expect(listCandidateLines(numbered(240).join("\n"))).toEqual(numbered(240));
    const most = numbered(241);
    expect(listCandidateLines(most.join("\n"))).toEqual(most.toSpliced(120, 1));
    const many = numbered(1_000);
    expect(listCandidateLines(`${many.join("\n")}\n`)).toEqual([
      ...many.slice(0, 120),
      ...many.slice(-119),
    ]);
  });

  test("of a text of many lines are looked for at both of its ends, in a time that does not grow with them", async () => {
    const look = (lines: number) => {
      const inner = Array.from({ length: lines }, (_, n) => `line ${n}`);
      const text = ["first = 1", ...inner, "last = 2"].join("\n");
      expect(striking(text, 2)).toEqual(["first = 1", "last = 2"]);
      return () => {
        for (let round = 0; round < 200; round += 1) striking(text, 2);
      };
    };
    // Twenty times the lines would take twenty times the time if all were looked at.
    const mostTimes = 4;
    const times = await timesAsLong(look(200_000), look(10_000), mostTimes);
    expect(times).toBeLessThan(mostTimes);
  });
});
