import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { planFree } from "../../src/history/plan.ts";
import { createHistoryPolicy } from "../../src/history/policy.ts";
import { adaptToCall } from "../../src/history/stub.ts";
import { estimateAskingCost, splitIntoPieces, surveyHistory } from "../../src/history/survey.ts";
import type { BoundaryView } from "../../src/ledger/policy.ts";
import { output, ran, SimulatedSession, said, settings } from "./simulation.ts";

const alone = { ...settings, wayBack: "none" } as const;

/** Turns of commands with closing answers of many lines, and long pastes of the user's. */
function longSession(turns: number, chars: number): SimulatedSession {
  const session = new SimulatedSession(60_000, null);
  for (let turn = 0; turn < turns; turn++) {
    session.prompt(`Turn ${turn}`);
    session.call(ran(`make ${turn}`, output(`make ${turn}`, chars)));
    session.call(said(`Turn ${turn}. ${output(`answer ${turn}`, 4_000)}`));
  }
  return session;
}

const draftedIn = (session: SimulatedSession, withheld: BoundaryView["withheld"]) =>
  createHistoryPolicy(settings).draft({
    ...session.view({ kind: "idle", idleMs: 1 }),
    withheld,
  });

describe("a call that is not offered the look-ups", () => {
  test("no text that goes into it names a tool of ours, however long the session is", () => {
    const sessions = fc.record({
      turns: fc.integer({ min: 6, max: 14 }),
      chars: fc.integer({ min: 4_000, max: 24_000 }),
      withheld: fc.constantFrom(["ctx_expand"], ["ctx_search"], ["ctx_expand", "ctx_search"]),
    });
    let drafts = 0;
    fc.assert(
      fc.property(sessions, ({ turns, chars, withheld }) => {
        const drafted = draftedIn(longSession(turns, chars), new Set(withheld));
        drafts += drafted.length;
        expect(JSON.stringify(drafted.map(({ edit }) => edit))).not.toContain("ctx_");
      }),
      { numRuns: 30 },
    );
    expect(drafts).toBeGreaterThan(0);
  });

  test("another call of the same history names them, also after one that did not", () => {
    const session = longSession(12, 16_000);
    expect(JSON.stringify(draftedIn(session, new Set(["ctx_expand"])))).not.toContain("ctx_");
    for (const withheld of [null, new Set<string>(), new Set(["ctx_reduce"])]) {
      expect(JSON.stringify(draftedIn(session, withheld))).toContain("ctx_");
    }
  });

  test("asking again counts 27 times what the call takes, as it is made again, in place of 18", () => {
    const session = new SimulatedSession(168_000, null);
    session.prompt("Look.");
    // So long a result is asked for in any case.
    session.call(ran("make", output("make", 400_000)));
    for (let call = 0; call < 2; call++) session.call(said(`Call ${call}.`));
    const timesIn = (given: typeof settings) => {
      const survey = surveyHistory(session.view(), given, 0);
      const pieces = splitIntoPieces(survey, () => null).filter(({ saves }) => saves > 0);
      const offer = { from: 0, rent: 0, price: 0, saves: 0 };
      const { rates, estimatedTokens } = survey.input.space;
      const tokens = pieces.map(({ candidate, row }) => {
        const at = row.message.parts.findIndex(({ id }) => id === candidate?.partId);
        return row.measured.parts[at]?.resultTokens ?? 0;
      });
      expect(tokens).toHaveLength(1);
      const [resultTokens = 0] = tokens;
      const once = rates.write * resultTokens + rates.read * estimatedTokens;
      return estimateAskingCost(survey, pieces, offer, Number.POSITIVE_INFINITY) / once;
    };
    expect(timesIn(settings)).toBeCloseTo(18);
    expect(timesIn(alone)).toBeCloseTo(27);
  });

  test("closing answers stay whole, as nothing brings them back", () => {
    const session = longSession(12, 16_000);
    const shortened = (given: typeof settings) =>
      JSON.stringify(planFree(session.view(), given, "cold")).includes("characters are not shown");
    expect([shortened(settings), shortened(alone)]).toEqual([true, false]);
  });

  test("settings stay the very same where nothing is withheld, or nothing is known", () => {
    expect(adaptToCall(settings, { withheld: null })).toBe(settings);
    expect(adaptToCall(settings, { withheld: new Set(["ctx_note"]) })).toBe(settings);
    expect(adaptToCall(alone, { withheld: new Set(["ctx_expand"]) })).toBe(alone);
  });
});
