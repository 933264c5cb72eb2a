import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { shortenAttached, shortenPastes } from "../../src/history/pasted-text.ts";
import { deriveRef } from "../../src/ledger/ref.ts";
import { estimateTokens } from "../../src/ledger/tokens.ts";

const lines = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join("\n");
const two = (value: number) => String(value % 60).padStart(2, "0");

/** What people paste, each of so many lines. */
const PASTES = {
  log: (count: number) =>
    lines(count, (at) => `2026-11-28 12:${two(at)}:${two(at)} INFO worker ${at} took ${at} ms`),
  syslog: (count: number) =>
    lines(count, (at) => `Nov 28 12:${two(at)}:${two(at)} heron kernel: Linux version 6.1 booting`),
  trace: (count: number) =>
    `Traceback (most recent call last):\n${lines(count, (at) => `  File "/app/a${at}.py", line ${at}, in run\n    self.step(${at})`)}`,
  stack: (count: number) => lines(count, (at) => `    at run (/app/src/a${at}.ts:${at}:7)`),
  diff: (count: number) =>
    `diff --git a/a.ts b/a.ts\n@@ -1,9 +1,9 @@\n${lines(count, (at) => `-const a${at} = ${at};\n+const a${at} = ${at + 1};\n   return a(${at});`)}`,
  table: (count: number) => lines(count, (at) => `| heron ${at} | ${at} | nests by the lake |`),
  columns: (count: number) => lines(count, (at) => `heron     lake${at}     ${at}     nests well`),
  code: (count: number) =>
    lines(count, (at) => `const value${at} = compute(${at}, { deep: true });`),
};
const KINDS = Object.keys(PASTES) as readonly (keyof typeof PASTES)[];

const SENTENCES = [
  "Leave the migrations alone, whatever the log says.",
  "Use port 5433, not 5432.",
  "Change /src/a/b.ts to /src/c/d.ts.",
  "Does it fail at 10:30, too?",
  "Please look at src/app.ts:42 and at #12 first!",
  "- leave migrations alone",
  "- Never touch the schema of the users table",
  "1. Mend the login",
  "> He said that it must stay.",
  "Look at line 42 of src/app.ts and leave the rest as it is",
  "“Stop” is what it should say.",
  "Bitte lass die Migrationen in Ruhe!",
  "- nicht anfassen",
  "Nimm Port 5433, nicht 5432.",
  "Nicht anfassen!",
  "请不要改动数据库迁移文件。",
  "请在 /src/app.ts 里改第 42 行",
  "データベースの移行はそのままにして",
] as const;

const shrunk = (text: string) => shortenPastes(text, "p1", "ctx_expand");

describe("a paste in what a user wrote", () => {
  test.each([...KINDS])(
    "shrinks to its ends where it is a long %s, and its ref shows the rest",
    (kind) => {
      const paste = PASTES[kind](160);
      const [head, tail] = ["Why does this fail?", "Mend it, and leave the migrations alone."];
      const said = shrunk(`${head}\n\n${paste}\n\n${tail}`) ?? "";
      const pasted = paste.split("\n");
      expect(said.split("\n")).toEqual([
        ...[head, "", ...pasted.slice(0, 8)],
        `[${pasted.length - 13} lines of this are not shown here. ctx_expand ${deriveRef("r", "p1")} shows them]`,
        ...[...pasted.slice(-5), "", tail],
      ]);
      expect(estimateTokens(said)).toBeLessThan(500);
    },
  );

  test("shrinks within its fence, of whichever kind, whatever stands in it", () => {
    for (const fence of ["```", "~~~", "````"]) {
      const prose = lines(120, (at) => `Sentence ${at} of what somebody else has written here.`);
      const said = shrunk(`Look:\n${fence}md\n${prose}\n${fence}\nIs it true?`)?.split("\n");
      expect(said?.slice(0, 3)).toEqual([
        "Look:",
        `${fence}md`,
        "Sentence 0 of what somebody else has written here.",
      ]);
      expect(said?.slice(-3)).toEqual([
        "Sentence 119 of what somebody else has written here.",
        fence,
        "Is it true?",
      ]);
      expect(said).toHaveLength(2 + 8 + 1 + 5 + 2);
    }
  });

  test("is none where its fence is never closed: what follows may be the user's words", () => {
    const words = lines(120, (at) => `This is my wish number ${at} for today, in my own words.`);
    expect(shrunk(`Look:\n\`\`\`\n${words}`)).toBeNull();
    // A long log behind such a fence is one all the same.
    const said = shrunk(`\`\`\`\n${PASTES.log(160)}\nLeave the migrations alone.`);
    expect(said).toEndWith("\nLeave the migrations alone.");
    expect(said).toContain("148 lines of this are not shown here");
  });

  test("of a few long lines shows each line's beginning", () => {
    const line = `{"a": "${"x".repeat(6_000)}"}`;
    const said = shrunk(`Look:\n${line}\nWhy?`)?.split("\n");
    expect(said).toEqual([
      ...["Look:", `${line.slice(0, 300)}…`],
      `[the rest of these lines is not shown here. ctx_expand ${deriveRef("r", "p1")} shows it]`,
      "Why?",
    ]);
    const smiles = `{"a": "${"x".repeat(292)}😀${"x".repeat(6_000)}"}`;
    expect(shrunk(smiles)).toContain(`${smiles.slice(0, 299)}…`);
  });

  test("is named by its ref alone where nothing expands it", () => {
    expect(shortenPastes(PASTES.log(160), "p1", "none")).toContain(
      `[147 lines of this are not shown here (${deriveRef("r", "p1")})]`,
    );
  });

  test("stays below 800 tokens, to the token, each by itself", () => {
    for (const kind of KINDS) {
      const sizes = Array.from({ length: 120 }, (_, count) => PASTES[kind](count + 1));
      const first = sizes.find((paste) => shrunk(paste) !== null) ?? "";
      const longest = sizes.findLast((paste) => estimateTokens(paste) < 800) ?? "";
      expect(estimateTokens(first)).toBeGreaterThanOrEqual(800);
      expect(sizes.indexOf(first)).toBe(sizes.indexOf(longest) + 1);
      // Two of them with a sentence between them are two pastes.
      expect(shrunk([longest, "Leave the migrations alone.", longest].join("\n"))).toBeNull();
    }
    expect(shrunk("")).toBeNull();
  });

  test("leaves each sentence around and between pastes as it stands, in any language", () => {
    for (const sentence of SENTENCES) {
      for (const gap of ["\n", "\n\n"]) {
        const text = [sentence, PASTES.log(160), sentence, PASTES.code(160), sentence].join(gap);
        const said = shrunk(text)
          ?.split("\n")
          .filter((line) => line === sentence);
        expect([sentence, said?.length]).toEqual([sentence, 3]);
      }
    }
    for (const sentence of SENTENCES) expect(shrunk(lines(400, () => sentence))).toBeNull();
  });

  test("never takes a sentence of the user's, wherever it stands among what he pasted", () => {
    const paste = fc
      .tuple(fc.constantFrom(...KINDS), fc.integer({ min: 1, max: 200 }))
      .map(([kind, count]) => PASTES[kind](count));
    const fenced = paste.map((text) => `\`\`\`\n${text}\n\`\`\``);
    const words = fc
      .array(
        fc.constantFrom("leave", "it", "alone", "Straße", "über", "don’t", "well-known", "été"),
        {
          ...{ minLength: 4, maxLength: 30 },
        },
      )
      .map((some) => `${some.join(" ")}.`);
    const sentence = fc.oneof(fc.constantFrom(...SENTENCES), words);
    const piece = fc.oneof(
      ...[paste, fenced].map((some) => some.map((text) => ({ text, isSaid: false }))),
      sentence.map((text) => ({ text, isSaid: true })),
    );
    let shorter = 0;
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 9 }),
        fc.constantFrom("\n", "\n\n", "\r\n"),
        (pieces, gap) => {
          const text = pieces.map((one) => one.text).join(gap);
          const said = shrunk(text);
          if (said === null) return;
          shorter += 1;
          expect(estimateTokens(said)).toBeLessThan(estimateTokens(text));
          const left = said.split(/\r?\n/);
          const wanted = pieces.filter(({ isSaid }) => isSaid).map((one) => one.text);
          const found = left.filter((line) => wanted.includes(line));
          expect(found).toEqual(wanted);
        },
      ),
      { numRuns: 300 },
    );
    expect(shorter).toBeGreaterThan(50);
  });
});

describe("what the host put beside the user's words", () => {
  test("goes as one paste, from 800 tokens on", () => {
    const prose = (count: number) => lines(count, (at) => `Sentence ${at} of a file that is read.`);
    const attach = (count: number) => shortenAttached(prose(count), "p1", "ctx_expand");
    expect(estimateTokens(prose(70))).toBeLessThan(800);
    expect(attach(70)).toBeNull();
    expect(attach(100)?.split("\n")).toEqual([
      ...prose(8).split("\n"),
      `[87 lines of this are not shown here. ctx_expand ${deriveRef("r", "p1")} shows them]`,
      ...prose(100).split("\n").slice(-5),
    ]);
  });
});
