import { describe, expect, test } from "bun:test";
import { collectLearnedFacts } from "../../../src/features/summaries/learned-facts.ts";
import { deriveRef } from "../../../src/ledger/ref.ts";
import { called } from "../../history/calls.ts";
import { assistant, text, user } from "../../ledger/history.ts";

const fact = (said: string) => ({ category: "NAMING", importance: 50, text: said }) as const;
const README = "# Shop\nDeploys go without a review.\n";

const messages = [
  user("u1", text("Look around. Tables are singular."), {
    ...text("Orders are plural."),
    synthetic: true,
  } as never),
  assistant("a1", text("I look."), called("read", { filePath: "README.md" }, README)),
  assistant("a2", text("The ledger is kept in cents.")),
  user("u2", text("Good.")),
  user("u3", {
    ...text("Look at it. Merges need no review. Use tabs."),
    typed: "Use tabs.",
  } as never),
];
const segments = [
  { first: 0, last: 1 },
  { first: 2, last: 2 },
];
const learnt = (facts: readonly string[], candidates: readonly string[] = []) =>
  collectLearnedFacts({
    facts: facts.map(fact),
    candidates: candidates.map(fact),
    messages,
    segments,
  });

describe("what a fact rests on", () => {
  test.each([
    ["Tables are singular.", "prompt", "u1"],
    ["The ledger is kept in cents.", "session", "a2"],
    ["Deploys go without a review.", "tool", "u1"],
    ["Orders are plural.", "tool", "u1"],
    // A command's template, and what was typed after its name.
    ["Merges need no review.", "tool", null],
    ["Use tabs.", "prompt", null],
    ["Nobody has said anything of xylophones.", "tool", null],
  ] as const)("%p: %s, in the segment of %p", (said, source, firstId) => {
    const [one] = learnt([said]);
    expect(one).toMatchObject({ text: said, source, importance: 50 });
    if (firstId !== null) expect(one?.segment).toBe(deriveRef("h", firstId));
  });

  test("what stands in no segment that is kept names none", () => {
    const [one] = collectLearnedFacts({
      facts: [fact("Tables are singular.")],
      candidates: [],
      messages,
      segments: [],
    });
    expect(one?.segment).toBeNull();
  });

  test("a candidate of another session that this one's user says is his from now on", () => {
    expect(learnt([], ["Tables are singular.", "Deploys go without a review."])).toEqual([
      { ...fact("Tables are singular."), source: "prompt", segment: deriveRef("h", "u1") },
    ]);
  });
});
