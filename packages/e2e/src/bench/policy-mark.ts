// A mark of history's policy: equal for policies that do the same to a few made-up sessions.
import { createHash } from "node:crypto";
import { play } from "../../../cli/src/simulation/play.ts";
import type {
  RecordedCall,
  RecordedSession,
  RecordedStep,
} from "../../../cli/src/simulation/recorded.ts";
import type { Model } from "../../../cli/src/simulation/settings.ts";
import { usualHistory } from "../../../cli/src/simulation/usual.ts";
import { MIDDLE_TOKENS, ROOMY_TOKENS } from "../host/models.ts";
import { Dice } from "./history/dice.ts";

const SEEDS = [1, 2, 3] as const;
const TURNS = 16;
const MARK_CHARS = 8;

/** Of the plugin where nothing is set. */
export function policyMark(): string {
  const hash = createHash("sha256");
  for (const windowTokens of [ROOMY_TOKENS, MIDDLE_TOKENS]) {
    for (const seed of SEEDS) hash.update(digestPolicy(seed, windowTokens));
  }
  return hash.digest("hex").slice(0, MARK_CHARS);
}

function digestPolicy(seed: number, windowTokens: number): string {
  const model: Model = {
    ...{ windowTokens, usableTokens: windowTokens - 4_000, frontTokens: 8_600, ttlMs: 300_000 },
    rates: { read: 0.1, write: 1.25, lookBackBlocks: 20 },
  };
  const sent: number[] = [];
  const { rewrites, bill } = play(madeUp(seed), model, usualHistory(), ({ calls }) => {
    sent.push(calls.at(-1)?.tokens ?? 0);
  });
  return JSON.stringify([rewrites, Math.round(bill), sent]);
}

/** Reads, edits, commands and searches, some of the same things; short and long prompts and answers; pauses. */
function madeUp(seed: number): RecordedSession {
  const dice = new Dice(seed);
  let [result, seconds] = [0, 0];
  const call = (): RecordedCall => {
    const tool = dice.pick(["read", "read", "edit", "bash", "grep", "write", "other"]);
    result += 1;
    const resultChars = tool === "edit" || tool === "write" ? 80 : dice.from(200, 16_000);
    const target = dice.from(0, 24);
    return { tool, target, chars: dice.from(60, 900), result, resultChars };
  };
  const step = (calls: number): RecordedStep => {
    seconds += dice.share() < LONG_PAUSES ? 900 : dice.from(4, 40);
    const needs = dice.share() < NEEDS && result > 0 ? [dice.from(1, result)] : [];
    return {
      ...{ s: seconds, chars: dice.from(0, 600), needs },
      calls: Array.from({ length: calls }, call),
    };
  };
  const turns = Array.from({ length: TURNS }, () => ({
    chars: dice.share() < LONG_PROMPTS ? 6_000 : dice.from(10, 700),
    steps: [
      ...Array.from({ length: dice.from(2, 14) }, () => step(dice.from(1, 3))),
      { ...step(0), chars: dice.from(40, 3_000) },
    ],
  }));
  return { session: `made ${seed}`, model: "none", harness: "none", turns };
}

const LONG_PAUSES = 0.03;
const NEEDS = 0.4;
const LONG_PROMPTS = 0.1;
