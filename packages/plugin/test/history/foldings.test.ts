import { describe, expect, test } from "bun:test";
import {
  around,
  type Folding,
  foldings,
  headSize,
  improvedFold,
  sayFold,
  shareOf,
} from "../../src/history/foldings.ts";
import { planFree } from "../../src/history/plan.ts";
import type { Row } from "../../src/history/sheet.ts";
import { surveyOf } from "../../src/history/survey.ts";
import { rangeDigest, type WrittenSegment } from "../../src/history/written.ts";
import type { HostMessage } from "../../src/projection/message.ts";
import { messageTokens } from "../../src/projection/tokens.ts";
import { synthetic, text, user } from "../projection/history.ts";
import { output, ran, SimulatedSession, said, settings } from "./simulation.ts";

/** Turns of two messages of about 1,000 tokens together, and the newest prompt. */
function talked(turns: number): SimulatedSession {
  const session = new SimulatedSession(168_000, null);
  for (let turn = 0; turn < turns; turn++) {
    session.prompt(`Do ${turn}.`);
    session.call(ran(`step ${turn}`, output(`step ${turn}`, 4_000)), said(`Did ${turn}.`));
  }
  session.prompt("And now?");
  return session;
}

const surveyed = (session: SimulatedSession, keepTokens = 0) =>
  surveyOf(session.view(), settings, keepTokens);
const placesOf = (some: readonly Folding[]) =>
  some.map(({ kind, stretches }) => [
    kind,
    ...stretches.map(({ first, last }) => `${first}-${last}`),
  ]);

/** A session of four turns, folded but for the newest answer and prompt. */
function folded(): SimulatedSession {
  const session = talked(4);
  const plan = planFree(session.view(), { ...settings, keepTokens: 0 }, "cold");
  session.commit(plan?.folds ?? []);
  return session;
}

/** The same, and three more turns. */
function grown(): SimulatedSession {
  const session = folded();
  session.call(said("It is done."));
  for (let turn = 0; turn < 3; turn++) {
    session.prompt(`Then ${turn}.`);
    session.call(ran(`then ${turn}`, output(`then ${turn}`, 4_000)));
  }
  session.prompt("And now?");
  return session;
}

describe("what can be folded", () => {
  test("is all beyond the tail, but for the newest answer and prompt", () => {
    const session = talked(4);
    expect(placesOf(foldings(surveyed(session)))).toEqual([["whole", "0-6"]]);
    const tail = session.messages.slice(-5).reduce((sum, one) => sum + messageTokens(one), 0);
    expect(placesOf(foldings(surveyed(session, tail)))).toEqual([["whole", "0-3"]]);
    expect(placesOf(foldings(surveyed(session, tail + 1)))).toEqual([["whole", "0-2"]]);
    expect(foldings(surveyed(session, 100_000))).toEqual([]);
  });

  test("leaves what the host's compaction put at the head", () => {
    const compaction = { type: "compaction" } as const;
    expect(headSize([user("c", compaction)])).toBe(2);
    expect(headSize([user("c", text("A note."), compaction)])).toBe(2);
    expect([headSize([user("u", text("A prompt."))]), headSize([])]).toEqual([0, 0]);
    const session = talked(4);
    const [first] = session.messages;
    if (!first) throw new Error("no message");
    session.messages[0] = {
      ...first,
      parts: [{ ...first.parts[0], ...compaction }],
    } as HostMessage;
    expect(placesOf(foldings(surveyed(session)))).toEqual([["whole", "2-6"]]);
  });

  test("stands around the newest prompt where its turn is long, and before it where it is not", () => {
    const running = (chars: number) => {
      const session = talked(3);
      session.call(ran("look", output("look", chars)));
      session.call(said("On."));
      return placesOf(foldings(surveyed(session)));
    };
    expect(running(24_000)).toEqual([["whole", "0-5", "7-7"]]);
    expect(running(8_000)).toEqual([["whole", "0-5"]]);
    const alone = new SimulatedSession(168_000, null);
    alone.prompt("Go.");
    alone.call(ran("look", output("look", 8_000)));
    alone.call(said("On."));
    expect(foldings(surveyed(alone))).toEqual([]);
  });

  test("a range without the prompt is two, one or none", () => {
    const range = { first: 2, last: 6 };
    expect(around(range, 4)).toEqual([
      { first: 2, last: 3 },
      { first: 5, last: 6 },
    ]);
    expect([around(range, 2), around(range, 6)]).toEqual([
      [{ first: 3, last: 6 }],
      [{ first: 2, last: 5 }],
    ]);
    expect([around(range, 1), around(range, 7), around(range, -1)]).toEqual([
      ...[[range], [range], [range]],
    ]);
    expect(around({ first: 3, last: 3 }, 9)).toEqual([{ first: 3, last: 3 }]);
    expect([around({ first: 3, last: 2 }, 9), around({ first: 3, last: 3 }, 3)]).toEqual([[], []]);
  });

  test("after a fold is what came since, or all of it as one; nothing came since: nothing", () => {
    const session = grown();
    expect(placesOf(foldings(surveyed(session)))).toEqual([
      ["append", "7-14"],
      ["whole", "0-14"],
    ]);
    expect(foldings(surveyed(folded()))).toEqual([]);
  });

  test("two folds that stand can become one, though nothing came since", () => {
    const session = grown();
    const survey = surveyed(session);
    const [append] = foldings(survey);
    session.commit((append && sayFold(survey, append)?.folds) ?? []);
    expect(placesOf(foldings(surveyed(session)))).toEqual([["whole", "0-14"]]);
  });

  test("counts its rows' tokens, and those of the fold that it begins with as folded before", () => {
    const survey = surveyed(grown());
    const [append, whole] = foldings(survey);
    const fold = survey.sheet.rows.find(({ kind }) => kind === "fold");
    expect(append?.formerTokens).toBe(0);
    expect(whole?.formerTokens).toBe(fold?.tokens as number);
    expect(whole?.rowTokens).toBe((append?.rowTokens ?? 0) + (fold?.tokens ?? 0));
  });
});

describe("the share of a row that a fold spares", () => {
  const row = (kind: Row["kind"], first: number) => ({ kind, first }) as Row;
  const [fold, own, other] = [row("fold", 0), row("own", 5), row("own", 9)];
  const whole: Folding = {
    kind: "whole",
    stretches: [{ first: 0, last: 7 }],
    rows: new Set([fold, own]),
    rowTokens: 1_100,
    formerTokens: 100,
  };

  test("is what the text leaves of it; of the former fold nothing, of other rows none", () => {
    const share = shareOf(whole, 350);
    expect([share(own), share(fold), share(other)]).toEqual([0.75, 0, null]);
    expect(shareOf(whole, 60)(own)).toBe(1);
    expect(shareOf(whole, 5_000)(own)).toBe(0);
    expect(shareOf({ ...whole, rowTokens: 100 }, 60)(own)).toBe(0);
    expect(shareOf({ ...whole, kind: "append" }, 350)(fold)).toBe(0.75);
    const elsewhere = { ...whole, stretches: [{ first: 1, last: 7 }] };
    expect(shareOf(elsewhere, 350)(fold)).toBe(0.75);
  });
});

describe("what is said in place of messages", () => {
  const written = (
    session: SimulatedSession,
    [first, last]: readonly [number, number],
    words: string,
  ) => {
    const range = session.messages.slice(first, last + 1);
    const texts = { full: words, short: words, brief: words, line: words };
    return {
      ...{ firstId: range[0]?.info.id ?? "", lastId: range.at(-1)?.info.id ?? "", place: first },
      ...{ messageCount: range.length, digest: rangeDigest(range), kind: "fix", importance: 100 },
      texts,
    } satisfies WrittenSegment as WrittenSegment;
  };

  test("fits the budget, or nothing is said", () => {
    const survey = surveyed(talked(8));
    const [whole] = foldings(survey);
    if (!whole) throw new Error("nothing to fold");
    const said = sayFold(survey, whole);
    expect(said?.folds).toHaveLength(1);
    expect(said?.tokens).toBeLessThanOrEqual(1_500);
    const tight = { ...survey, settings: { ...settings, budgetTokens: 200 } };
    expect(sayFold(tight, whole)?.tokens).toBeLessThanOrEqual(200);
    expect(sayFold({ ...survey, settings: { ...settings, budgetTokens: 5 } }, whole)).toBeNull();
  });

  test("says less of what is older", () => {
    const survey = surveyed(talked(30));
    const [whole] = foldings(survey);
    const text = (whole && sayFold(survey, whole)?.folds[0]?.text) ?? "";
    const entries = text.split(/\n\n(?=\[h:)/).slice(1);
    // The newest is of a turn that has not ended.
    const sizes = entries.slice(0, -1).map(({ length }) => length);
    expect(sizes.length).toBeGreaterThan(3);
    expect(sizes.at(-1)).toBeGreaterThan(sizes.at(0) ?? 0);
    expect(sizes).toEqual(sizes.toSorted((one, other) => one - other));
  });

  test("is a model's words where it has written, and an extract elsewhere", () => {
    const session = talked(6);
    session.written = [written(session, [2, 3], "The heron nests.")];
    const survey = surveyed(session);
    const [whole] = foldings(survey);
    const text = (whole && sayFold(survey, whole)?.folds[0]?.text) ?? "";
    expect(text).toContain("> The heron nests.");
    expect(text).toContain("Asked: “Do 0.”");
    expect(text).not.toContain("Asked: “Do 1.”");
    expect(text.indexOf("Do 0.")).toBeLessThan(text.indexOf("The heron"));
    expect(text.indexOf("The heron")).toBeLessThan(text.indexOf("Do 2."));
  });

  test("a fold is said once more when a model has written of what it says in extracts", () => {
    const session = folded();
    expect(improvedFold(surveyed(session))).toBeNull();
    session.written = [written(session, [0, 3], "The heron nests.")];
    const improved = improvedFold(surveyed(session));
    expect(improved?.folds[0]?.text).toContain("> The heron nests.");
    expect([...(improved?.rows ?? [])].map(({ kind }) => kind)).toEqual(["fold"]);
    session.commit(improved?.folds ?? []);
    expect(improvedFold(surveyed(session))).toBeNull();
    const fresh = talked(4);
    fresh.written = [written(fresh, [0, 3], "The heron nests.")];
    expect(improvedFold(surveyed(fresh))).toBeNull();
  });
});

describe("the newest prompt", () => {
  const promptOf = (...last: readonly HostMessage[]) => {
    const session = talked(1);
    session.messages.push(...last);
    return surveyed(session).promptIndex;
  };
  const image = { type: "file", mime: "image/png", url: "data:" } as const;

  test("is what a person wrote or attached last; a host's reminder is none", () => {
    expect(promptOf()).toBe(2);
    expect(promptOf(user("r", synthetic("a reminder")))).toBe(2);
    expect(promptOf(user("r", synthetic("a reminder"), text("Words.")))).toBe(3);
    expect(promptOf(user("f", image))).toBe(3);
    // The host reads a plain file to the model as a text of its own; a subtask is the host's.
    expect(promptOf(user("f", { ...image, mime: "text/plain" }))).toBe(2);
    expect(promptOf(user("s", { type: "subtask" }))).toBe(2);
    expect(promptOf(user("i", { ...text("a note"), ignored: true }))).toBe(2);
  });

  test("is the newest message of the user's where no person wrote any, and none where there is none", () => {
    const session = new SimulatedSession(168_000, null);
    session.messages.push(user("a", synthetic("one")), user("b", synthetic("two")));
    expect(surveyed(session).promptIndex).toBe(1);
    expect(surveyed(new SimulatedSession(168_000, null)).promptIndex).toBe(-1);
  });
});
