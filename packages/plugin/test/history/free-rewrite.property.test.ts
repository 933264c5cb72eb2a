import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { isSuperseded } from "../../src/history/candidate.ts";
import { listFoldings } from "../../src/history/foldings.ts";
import { isAnswer } from "../../src/history/measured-history.ts";
import { planFree } from "../../src/history/plan.ts";
import { type HistorySurvey, surveyHistory } from "../../src/history/survey.ts";
import { computeTail } from "../../src/history/tail.ts";
import { isReasoning, isTool } from "../../src/ledger/message.ts";
import { output, ran, read, SimulatedSession, said, settings, tool } from "./simulation.ts";

setDefaultTimeout(600_000);

const WINDOW = 168_000;
const IDLE = { kind: "idle", idleMs: 400_000 } as const;

const step = fc.record({
  what: fc.constantFrom("prompt", "read", "run", "think", "skill"),
  file: fc.integer({ min: 0, max: 2 }),
  chars: fc.constantFrom(400, 2_000, 8_000),
});

const signed = { metadata: { anthropic: { signature: "s" } } };

function played(steps: readonly { what: string; file: number; chars: number }[]): SimulatedSession {
  const session = new SimulatedSession(WINDOW);
  session.prompt("Begin.");
  for (const [at, { what, file, chars }] of steps.entries()) {
    const text = output(`${what} ${file}`, chars);
    if (what === "prompt") session.prompt(`Prompt ${at}`);
    if (what === "read") session.call(read(`f${file}`, text));
    if (what === "run") session.call(said(`I run ${at}.`), ran(`run ${at}`, text));
    if (what === "think") session.call({ type: "reasoning", text, ...signed }, said(`So ${at}.`));
    if (what === "skill") session.call(tool("skill", { name: `s${file}` }, text));
  }
  return session;
}

/** Of a free rewrite: the ids of the parts that it takes, by themselves and with folds. */
function takenAt(session: SimulatedSession) {
  const view = session.view(IDLE);
  const plan = planFree(view, settings, "cold");
  const dropped = (plan?.drops ?? []).flatMap((edit) =>
    edit.verb === "replace" || edit.verb === "omit" ? [edit.at.partId] : [],
  );
  const places = new Map(view.messages.map(({ info }, index) => [info.id, index]));
  const folded = (plan?.folds ?? []).map(({ first, last }) => ({
    first: places.get(first) ?? -1,
    last: places.get(last) ?? -1,
  }));
  return { view, dropped, folded };
}

test("a dead cache lets go what a rewrite that pays could, by the same tail: only the price differs", () => {
  let [drops, folds] = [0, 0];
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 60, size: "max" }), (steps) => {
      const { view, dropped, folded } = takenAt(played(steps));
      const survey = surveyHistory(view, settings, computeTail(view, settings).keepTokens);
      const couldFold = listFoldings(survey).flatMap(({ stretches }) => stretches);
      expect(dropped.filter((id) => !survey.candidates.has(id))).toEqual([]);
      for (const stretch of folded) expect(couldFold).toContainEqual(stretch);
      drops += dropped.length;
      folds += folded.length;
      isSpared(survey, { dropped, folded });
    }),
    { numRuns: 40, seed: 20261125 },
  );
  expect(drops).toBeGreaterThan(10);
  expect(folds).toBeGreaterThan(20);
});

interface TakenRewrite {
  readonly dropped: readonly string[];
  readonly folded: readonly { readonly first: number; readonly last: number }[];
}

/** What no rewrite takes, whatever it costs: also right after a pause. */
function isSpared(
  { sheet, keepTokens, promptIndex, candidates, input }: HistorySurvey,
  taken: TakenRewrite,
): void {
  const gone = new Set(taken.dropped);
  const isFolded = (place: number) =>
    taken.folded.some(({ first, last }) => first <= place && place <= last);
  const newestAnswer = input.messages.findLastIndex(isAnswer);
  for (const { kind, message, last, end } of sheet.rows) {
    if (kind !== "own") continue;
    const isRunning = last > promptIndex;
    const isInTail = sheet.totalTokens - end < keepTokens;
    // The prompt, what nobody has read yet, and the newest part of the history.
    if (last === promptIndex || last === newestAnswer || isInTail)
      expect(isFolded(last)).toBe(false);
    for (const part of message.parts.filter(({ id }) => gone.has(id))) {
      const candidate = candidates.get(part.id);
      expect(last).not.toBe(promptIndex);
      if (last === newestAnswer || isInTail)
        expect(candidate && isSuperseded(candidate)).toBe(true);
      // A provider may ask for the reasoning of the turn that runs.
      if (isReasoning(part)) expect(isRunning).toBe(false);
      // Text that the model works by: it goes where it stands once more.
      if (isTool(part) && part.tool === "skill") expect(candidate?.dropReason).toBe("repeated");
    }
  }
}
