import { MODELS } from "../src/host/models.ts";
import type { CallRecord } from "../src/provider/record.ts";
import { call, say } from "../src/provider/reply.ts";
import { history, type Stage, type Talk } from "./conformance/stage.ts";

// Long sessions of the tests: turns of two commands each, in a window of 60,000 tokens.
export const middle = { model: MODELS.middle };
const LINES = 220;

/** A line of what a turn's command printed; each stands in one result. */
export function outputLine(turn: number, part: "a" | "b", line = 7): string {
  return `turn ${turn}${part}: module ${line} of the tree was checked`;
}

export const lastLine = (turn: number) => outputLine(turn, "b", LINES);

/** Two commands of about 2,000 tokens each, and an answer. */
export function queueWork(stage: Stage, talk: Talk, turn: number): void {
  const command = (part: string) => ({
    command: `seq -f 'turn ${turn}${part}: module %g of the tree was checked' 1 ${LINES}`,
    description: `check ${turn}${part}`,
  });
  stage.provider.script.queueFor(
    talk.id,
    call("bash", command("a")),
    call("bash", command("b")),
    say(`Turn ${turn} is done. The value of turn ${turn} is ${turn * 31}.`),
  );
}

export async function work(stage: Stage, talk: Talk, turn: number): Promise<void> {
  queueWork(stage, talk, turn);
  await talk.say(`Do turn ${turn}`, middle);
}

export const texts = (record: CallRecord) => history(record).map(({ text }) => text);
export const stubs = (record: CallRecord) =>
  texts(record).filter((text) => /^\[bash .*not shown any more/.test(text));
export const folds = (record: CallRecord) =>
  texts(record).filter((text) => text.startsWith("<session-history>"));
