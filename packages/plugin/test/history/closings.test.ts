import { describe, expect, test } from "bun:test";
import { clipPromptsToFit } from "../../src/history/clip.ts";
import { shortenToSentence } from "../../src/history/shortening.ts";
import { surveyHistory } from "../../src/history/survey.ts";
import type { HostMessage } from "../../src/ledger/message.ts";
import { deriveRef } from "../../src/ledger/ref.ts";
import { estimateTokens } from "../../src/ledger/tokens.ts";
import { assistant, synthetic, text, user } from "../ledger/history.ts";
import { SimulatedSession, said, settings } from "./simulation.ts";

const TURNS = 40;
const ANSWER = `It is done. ${"The next paragraph says how. ".repeat(40)}`;

/** Turns of a short prompt and an answer of some 300 tokens, which is not long enough to be shortened. */
function talked(usableTokens: number): SimulatedSession {
  const session = new SimulatedSession(usableTokens, null);
  for (let turn = 0; turn < TURNS; turn++) {
    session.prompt(`Prompt ${turn}.`);
    session.call(said(ANSWER));
  }
  return session;
}

/** Turns whose answer would shrink, in their order. */
function shrinking(session: SimulatedSession): readonly number[] {
  const { candidates } = surveyHistory(session.view(), settings, 2_000);
  return session.messages.flatMap(({ parts }, index) =>
    parts.some(({ id }) => candidates.has(id)) ? [(index - 1) / 2] : [],
  );
}

describe("where prompts and answers take more than a fifth of the window", () => {
  test("the oldest answers say one sentence, as many as bring them back below it", () => {
    expect(shrinking(talked(200_000))).toEqual([]);
    const some = shrinking(talked(50_000));
    expect(some).toEqual(Array.from({ length: some.length }, (_, turn) => turn));
    expect(some.length).toBeGreaterThan(0);
    expect(some.length).toBeLessThan(shrinking(talked(20_000)).length);
  });

  test("the tail stays, and so do all prompts", () => {
    const session = talked(2_000);
    const { candidates } = surveyHistory(session.view(), settings, 2_000);
    const turns = shrinking(session);
    expect(turns.at(-1)).toBeLessThan(TURNS - 4);
    const prompts = session.messages.filter(({ info }) => info.role === "user");
    expect(prompts.some(({ parts }) => parts.some(({ id }) => candidates.has(id)))).toBe(false);
  });
});

describe("an answer for which there is room for one sentence", () => {
  const ref = deriveRef("r", "p1");

  test("says its first one, and how to see the rest", () => {
    expect(shortenToSentence(ANSWER, "p1", "ctx_expand")).toBe(
      `It is done. [the rest of this answer is not shown here. ctx_expand ${ref} shows it]`,
    );
    expect(shortenToSentence(ANSWER, "p1", "none")).toBe(
      `It is done. [the rest of this answer is not shown here (${ref})]`,
    );
  });

  test("says something whatever it is made of", () => {
    expect(shortenToSentence("***\n---", "p1", "none")).toStartWith("*** ---");
    expect(shortenToSentence("x".repeat(4_000), "p1", "none").length).toBeLessThan(260);
  });
});

describe("prompts, so that the call fits", () => {
  const long = (id: string) =>
    user(id, text(`First of ${id}. ${"word ".repeat(2_000)} Last of ${id}.`));
  const history: readonly HostMessage[] = [
    long("u1"),
    assistant("a1", text("Done.")),
    user("u2", synthetic("x ".repeat(4_000)), text("Short.")),
    assistant("a2", text("Done.")),
    long("u3"),
    assistant("a3", text("Done.")),
    long("u4"),
  ];
  const cut = (tokens: number, claims: readonly string[] = []) =>
    clipPromptsToFit(
      { ...new SimulatedSession(null).view(), projected: history, claims: new Set(claims) },
      "ctx_expand",
      tokens,
    );
  const places = (edits: ReturnType<typeof cut>["edits"]) =>
    edits.map((edit) => (edit.verb === "replace" ? edit.at.partId : edit.verb));

  test("are cut by their middle, the oldest first, and as many as are needed", () => {
    expect(places(cut(1_000).edits)).toEqual(["u1.0"]);
    const both = cut(4_000);
    expect(places(both.edits)).toEqual(["u1.0", "u3.0"]);
    const [first] = both.edits;
    const words = first?.verb === "replace" ? first.text : "";
    expect(words).toStartWith("First of u1.");
    expect(words).toEndWith("Last of u1.");
    expect(both.saves).toBe(2 * (estimateTokens(findText("u1")) - estimateTokens(words)));
  });

  test("are left alone where nothing is over, where they are the newest, and where they announce something", () => {
    expect(cut(0)).toEqual({ edits: [], saves: 0 });
    expect(places(cut(Number.POSITIVE_INFINITY).edits)).toEqual(["u1.0", "u3.0"]);
    expect(places(cut(4_000, ["u1.0"]).edits)).toEqual(["u3.0"]);
  });

  function findText(id: string): string {
    const part = history.flatMap(({ parts }) => parts).find((one) => one.id === `${id}.0`);
    return part && "text" in part ? String(part.text) : "";
  }
});
