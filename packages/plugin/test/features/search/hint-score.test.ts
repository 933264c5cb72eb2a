import { describe, expect, test } from "bun:test";
import type { Finding } from "../../../src/feature-api/finders.ts";
import { searchTexts, toSearchableText } from "../../../src/features/memory/search.ts";
import {
  findHint,
  listDistinctiveTerms,
  MIN_HINT_SCORE,
  scoreHint,
} from "../../../src/features/search/hint-search.ts";
import { deriveRef, type Ref } from "../../../src/ledger/ref.ts";
import type { ProjectId, SessionId } from "../../../src/storage/records.ts";
import { LEFT, PROMPTS } from "./hint-recorded.ts";
import { answers, makeStage, onlyPart, says } from "./stage.ts";

const HERE = "ses_2" as SessionId;
const MAX_WRONG = 0.1;
const STEP = 0.01;

/** The recorded work, indexed and remembered as the product does it. */
function recorded() {
  const stage = makeStage();
  const ids = new Map<Ref, string>();
  const said = LEFT.filter(({ kind }) => kind !== "memory").map(({ id, kind, text }) => {
    const message = kind === "user" ? says(text) : answers(text);
    ids.set(deriveRef("r", onlyPart(message).id), id);
    return message;
  });
  stage.add(said);
  const memories = LEFT.filter(({ kind }) => kind === "memory").map(({ id, text }) => {
    const ref = deriveRef("m", id);
    ids.set(ref, id);
    const finding: Finding = { ref, words: "memory", lines: [text], madeAtMs: 0 };
    return toSearchableText(finding, text);
  });
  stage.found.push({
    search: async (_, terms) => ({
      findings: searchTexts(memories, terms).slice(0, 5),
      inContext: 0,
    }),
    show: async () => null,
  });
  const find = (prompt: string) =>
    findHint(stage, { sessionId: HERE, project: "project" as ProjectId }, prompt, () => false);
  return { find, ids };
}

/** For each prompt, the score of its best hint, and whether that helps. */
async function judged() {
  const { find, ids } = recorded();
  return Promise.all(
    PROMPTS.map(async ({ prompt, about }) => {
      const hint = await find(prompt);
      const isRight = hint !== null && about.includes(ids.get(hint.ref) ?? "");
      return { prompt, hint, score: hint?.score ?? 0, isRight };
    }),
  );
}

describe("HT5: the score from which a hint is worth its line", () => {
  test("is derived from the recorded prompts: above it at most one hint in ten is wrong, and most that help come", async () => {
    const all = await judged();
    const wrongShare = (least: number) => {
      const shown = all.filter(({ score }) => score > 0 && score >= least);
      return shown.filter(({ isRight }) => !isRight).length / Math.max(1, shown.length);
    };
    // The lowest threshold at which, and above which, hints are good enough.
    let derived = 1;
    while (derived > 0 && wrongShare(derived - STEP) <= MAX_WRONG) derived -= STEP;
    const shown = all.filter(({ score }) => score >= MIN_HINT_SCORE);
    const right = shown.filter(({ isRight }) => isRight).length;
    const helpful = PROMPTS.filter(({ about }) => about.length > 0).length;
    const wrong = shown.filter(({ isRight }) => !isRight);
    console.log(
      `HT5: derived ${derived.toFixed(2)}, used ${MIN_HINT_SCORE}: ${right} of ${helpful} helpful, ${wrong.length} wrong: ${wrong.map(({ prompt }) => prompt).join(" | ")}`,
    );
    expect(MIN_HINT_SCORE).toBeGreaterThanOrEqual(Number(derived.toFixed(2)));
    expect(MIN_HINT_SCORE - derived).toBeLessThan(0.1);
    expect(wrong.length / shown.length).toBeLessThanOrEqual(MAX_WRONG);
    expect(right / helpful).toBeGreaterThan(0.6);
  });

  test("more of the prompt's words score higher; one alone, and generic ones, score nothing", () => {
    const words = listDistinctiveTerms("Please fix the staging database port in the tunnel").map(
      ({ text }) => ({ text, weight: 1 }),
    );
    expect(words.map(({ text }) => text)).toEqual(["staging", "database", "port", "tunnel"]);
    const two = scoreHint("The staging database.", words);
    const three = scoreHint("The staging database listens on a port.", words);
    expect(three).toBeGreaterThan(two);
    expect(scoreHint("Staging only.", words)).toBe(0);
    expect(scoreHint("Nothing of it.", words)).toBe(0);
    expect(listDistinctiveTerms("Fix it now, please, and run the tests again")).toEqual([]);
  });
});
