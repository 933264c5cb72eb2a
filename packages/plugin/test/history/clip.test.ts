import { expect, test } from "bun:test";
import { toWellFormed } from "../../src/context/source.ts";
import { clipToFit } from "../../src/history/clip.ts";
import type { EditOf } from "../../src/ledger/edit.ts";
import { deriveRef } from "../../src/ledger/ref.ts";
import { estimateTokens } from "../../src/ledger/tokens.ts";
import { assistant, user } from "../ledger/history.ts";
import { called } from "./calls.ts";
import { SimulatedSession } from "./simulation.ts";

/** The newest answer called these; one before it had a result of its own. */
function clips(
  outputs: readonly string[],
  tokens: number,
  wayBack: "ctx_expand" | "none" = "none",
) {
  const calls = outputs.map((output, at) => called("bash", { command: `run ${at}` }, output));
  const former = assistant("a", called("bash", { command: "former" }, "f".repeat(40_000)));
  const projected = [user("u"), former, assistant("b", ...calls)];
  const { edits, saves } = clipToFit(
    { ...new SimulatedSession(null).view(), projected },
    wayBack,
    tokens,
  );
  const texts = new Map(
    (edits as readonly EditOf<"replace">[]).map(({ at, text }) => [at.partId, text]),
  );
  return { texts, saves };
}

test("the largest results nobody has read yet are cut to one size, until so many tokens are spared", () => {
  const { texts, saves } = clips(
    ["a".repeat(40_000), "b".repeat(24_000), "c".repeat(4_000)],
    10_000,
  );
  expect([...texts.keys()]).toEqual(["b.0", "b.1"]);
  const sizes = [...texts.values()].map(estimateTokens);
  expect(sizes[0]).toBeCloseTo(sizes[1] ?? 0, -2);
  expect(sizes[0]).toBeGreaterThan(2_900);
  expect(sizes[0]).toBeLessThanOrEqual(3_000);
  expect(saves).toBe(16_000 - (sizes[0] ?? 0) - (sizes[1] ?? 0));
  expect(saves).toBeGreaterThanOrEqual(10_000);
});

test("of each its beginning and end stay, two thirds and one, and what is between is named", () => {
  const output = `${"a".repeat(20_000)}${"z".repeat(20_000)}`;
  const ref = deriveRef("r", "b.0");
  const [cut = ""] = clips([output], 9_000, "ctx_expand").texts.values();
  const [head = "", marker = "", tail = ""] = cut.split("\n");
  expect([/^a+$/.test(head), /^z+$/.test(tail)]).toEqual([true, true]);
  expect(head.length / tail.length).toBeCloseTo(2, 1);
  expect(marker).toBe(
    `[${40_000 - head.length - tail.length} characters are not shown here: the call would not have fitted. ctx_expand ${ref} shows them]`,
  );
  // With what the line between them takes.
  expect(head.length + tail.length).toBeLessThanOrEqual(4 * (1_000 - 40));
  expect(head.length + tail.length).toBeGreaterThan(4 * (1_000 - 45));
  const [plain = ""] = clips([output], 9_000).texts.values();
  expect(plain).toContain(`the call would not have fitted (${ref})]`);
});

test("none is cut below 200 tokens, and none that is as short", () => {
  const { texts, saves } = clips(["a".repeat(40_000), "b".repeat(800), "c".repeat(700)], 1_000_000);
  expect([...texts.keys()]).toEqual(["b.0"]);
  const [cut = ""] = texts.values();
  expect(estimateTokens(cut)).toBeLessThanOrEqual(200);
  expect(saves).toBe(10_000 - estimateTokens(cut));
  expect(clips(["a".repeat(800)], 1_000_000)).toEqual({ texts: new Map(), saves: 0 });
  // What is hardly longer would not be shorter with the line between.
  expect(clips(["a".repeat(804)], 1_000_000).saves).toBeGreaterThanOrEqual(0);
  expect(clips([], 1_000)).toEqual({ texts: new Map(), saves: 0 });
});

test("a character is never cut in two, and one of a wide script counts as a token", () => {
  for (let shift = 0; shift < 4; shift++) {
    const [cut = ""] = clips(
      [`${"x".repeat(shift)}${"\u{1f600}".repeat(10_000)}`],
      15_000,
    ).texts.values();
    expect(toWellFormed(cut)).toBe(cut);
  }
  const [wide = ""] = clips(["語".repeat(4_000)], 3_000).texts.values();
  expect(estimateTokens(wide)).toBeLessThanOrEqual(1_000);
  expect(wide.replace(/[^語]/g, "").length).toBeGreaterThan(900);
});
