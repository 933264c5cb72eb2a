import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { shortenAnswer } from "../../src/history/shortening.ts";
import { renderRetrievalHint } from "../../src/history/stub.ts";
import { deriveRef } from "../../src/ledger/ref.ts";

const shorten = (text: string) => shortenAnswer(text, "p1", "ctx_expand");
const ref = deriveRef("r", "p1");
const gone = (chars: number) =>
  `[${chars} characters are not shown here. ctx_expand ${ref} shows them]`;

describe("a long answer made short", () => {
  test("has its first and last paragraphs, and the heads of what stands between them", () => {
    const between = [
      "## What I did",
      "I changed the login. ".repeat(30).trim(),
      "- the token is refreshed\n- the test is new\n  and long\n3) the last of it",
      "More of it.",
    ].join("\n\n");
    const text = `It works now.\n\n${between}\n\nRun npm test to see it.\n`;
    expect(shorten(text).split("\n")).toEqual([
      ...["It works now.", "## What I did"],
      ...["- the token is refreshed", "- the test is new", "3) the last of it"],
      ...[gone(between.length + 4), "Run npm test to see it."],
    ]);
  });

  test("has twelve heads at most, each of 100 characters at most", () => {
    const heads = Array.from({ length: 20 }, (_, at) => `${at}. ${"word ".repeat(40)}`);
    const said = shorten(`First.\n\n${heads.join("\n")}\n\nLast.`).split("\n");
    expect(said).toHaveLength(1 + 12 + 2);
    expect(said.slice(1, 13)).toEqual(heads.slice(0, 12).map((head) => `${head.slice(0, 100)}…`));
    const exact = `- ${"x".repeat(98)}`;
    expect(shorten(`First.\n\n${exact}\n\nLast.`)).toContain(`\n${exact}\n`);
    const smile = `- ${"x".repeat(97)}😀`;
    expect(shorten(`First.\n\n${smile}\n\nLast.`)).toContain(`\n${smile.slice(0, 99)}…\n`);
  });

  test("of one or two long paragraphs has 500 characters of each end, cut at words, and the heads between", () => {
    const words = Array.from({ length: 400 }, (_, at) => `word${at}`).join(" ");
    const [first = "", said = "", last = ""] = shorten(words).split("\n");
    expect(words).toStartWith(`${first.slice(0, -1)} `);
    expect(words).toEndWith(` ${last.slice(1)}`);
    for (const end of [first, last]) expect(end.length).toBeWithin(480, 502);
    expect([first.at(-1), last[0]]).toEqual(["…", "…"]);
    expect(said).toBe(gone(words.length - first.length - last.length + 2));
    const list = Array.from({ length: 40 }, (_, at) => `- item ${at} ${"of it ".repeat(8)}`).join(
      "\n",
    );
    const two = shorten(`It is done:\n\n${list}`).split("\n");
    expect(two.slice(0, 2)).toEqual(["It is done:", list.split("\n")[0] ?? ""]);
    expect(two.at(-1)).toBe(list.split("\n").at(-1)?.trim() ?? "");
  });

  test("is cut between characters where it has no spaces", () => {
    const wide = "请不要改动".repeat(400);
    const [first = "", , last = ""] = shorten(wide).split("\n");
    expect([first, last]).toEqual([`${wide.slice(0, 500)}…`, `…${wide.slice(-500)}`]);
    const smiles = `x${"😀".repeat(600)}x`;
    const [begins = "", , ends = ""] = shorten(smiles).split("\n");
    for (const end of [begins, ends]) expect(end.isWellFormed()).toBe(true);
    expect([begins.length, ends.length]).toEqual([500, 500]);
  });

  test("stays as it is where nothing stands between its ends", () => {
    expect(shorten("It works.\n")).toBe("It works.");
    expect(shorten("It works.\n\nRun it.")).toBe("It works.\n\nRun it.");
  });

  test("says how to see the rest of it", () => {
    expect(renderRetrievalHint("p1", "ctx_expand", "them")).toBe(`. ctx_expand ${ref} shows them`);
    expect(renderRetrievalHint("p1", "none", "them")).toBe(` (${ref})`);
    expect(shortenAnswer("word ".repeat(400), "p1", "none")).toContain(`not shown here (${ref})]`);
  });

  test("is never nothing: whatever it says, both of its ends stand, and it is not longer than them", () => {
    const block = fc.constantFrom(
      "word",
      "- item",
      "## Head",
      " ",
      "\n",
      "\n\n",
      "请不要",
      "😀",
      "\ud800",
    );
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 600, size: "max" }), (blocks) => {
        const text = `a${blocks.join("")}z`;
        const said = shorten(text);
        expect(said[0]).toBe("a");
        expect(said.at(-1)).toBe("z");
        const least = Math.min(200, text.split(/\n\s*\n/)[0]?.length ?? 0);
        expect(said.slice(0, least)).toBe(text.slice(0, least));
        expect(said.length).toBeLessThan(2 * 502 + 12 * 102 + 80);
        if (said === text.trim()) return;
        const [, left = ""] = /\[(\d+) characters are not shown here/.exec(said) ?? [];
        expect(Number(left)).toBeWithin(Math.max(0, text.length - 1_010), text.length);
      }),
      { numRuns: 500 },
    );
  });
});
