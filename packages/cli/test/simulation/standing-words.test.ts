import { expect, test } from "bun:test";
import type { HostMessage } from "@session-runtime/opencode/ledger/message";
import { SyntheticWords } from "../../src/simulation/made-up.ts";
import { play } from "../../src/simulation/play.ts";
import type { RecordedSession } from "../../src/simulation/recorded.ts";
import { InstructionTracker } from "../../src/simulation/standing-words.ts";
import { model, read, step } from "./recorded.ts";

const TURNS = 8;

/** Each turn: a prompt, a read of so many characters, and an answer of several lines. */
function talk(resultChars: number): RecordedSession {
  const turns = Array.from({ length: TURNS }, (_, turn) => ({
    chars: 200,
    steps: [
      step(turn * 20, { calls: [read(turn, resultChars)] }),
      step(turn * 20 + 10, { chars: 400 }),
    ],
  }));
  return { session: "made", model: "none", harness: "none", turns };
}

const session = talk(400);
const words = SyntheticWords.of(session);
const turnPrompt = (turn: number) => words.createPrompt(200, turn);
const lastTurnWords = (turn: number) => {
  const last = session.turns[turn]?.steps.at(-1);
  return last ? words.createAnswer(last, 2 * turn + 1) : "";
};

function sent(role: "user" | "assistant", text: string): HostMessage {
  const info = { id: text, sessionID: "s", role };
  return {
    info,
    parts: [{ id: "p", messageID: text, sessionID: "s", type: "text", text } as never],
  };
}

test("in a session that fits, each earlier prompt and closing answer stands in each call", () => {
  const standing = new InstructionTracker(session);
  play(session, model, null, standing.watch);
  const all = { mean: 1, worst: 1 };
  expect(standing.figures).toEqual({ prompts: all, farPrompts: all, closings: all });
});

test("what a compaction took away no longer stands", () => {
  const long = talk(60_000);
  const standing = new InstructionTracker(long);
  const { compactions } = play(long, model, null, standing.watch);
  expect(compactions).toBeGreaterThan(0);
  const { prompts, closings } = standing.figures;
  expect(prompts?.mean).toBeWithin(0.05, 0.9);
  expect(prompts?.worst).toBe(0);
  expect(closings?.mean).toBeWithin(0.05, 0.95);
});

test("a prompt stands only whole, and a closing answer line by line", () => {
  const standing = new InstructionTracker(session);
  const closing = lastTurnWords(1).split("\n");
  expect(closing.length).toBeGreaterThan(3);
  const messages = [
    sent("user", `Before. ${turnPrompt(0)} After.`),
    sent("user", turnPrompt(1).slice(0, -1)),
    sent("assistant", lastTurnWords(0)),
    sent("assistant", `${closing[1]}\n${closing[0]?.slice(0, -1)}`),
  ];
  standing.watch({ sent: messages }, { step: 4, turn: 2 });
  const { prompts, farPrompts, closings } = standing.figures;
  expect(prompts).toEqual({ mean: 0.5, worst: 0.5 });
  expect(farPrompts).toBeNull();
  const lines = lastTurnWords(0).split("\n").length;
  expect(closings?.mean).toBeCloseTo((lines + 1) / (lines + closing.length), 9);
});

test("the running turn's own prompt is no earlier one, and those five turns back are counted apart", () => {
  const standing = new InstructionTracker(session);
  standing.watch({ sent: [sent("user", turnPrompt(0))] }, { step: 0, turn: 0 });
  expect(standing.figures).toEqual({ prompts: null, farPrompts: null, closings: null });
  standing.look(6, [2, 3, 4, 5, 1].map(turnPrompt).join("\n"));
  const { prompts, farPrompts, closings } = standing.figures;
  expect(prompts?.mean).toBeCloseTo(5 / 6, 9);
  expect(farPrompts?.mean).toBe(0.5);
  expect(closings).toEqual({ mean: 0, worst: 0 });
});

test("words count wherever a request has them as text or as a result, and not where they are hidden", () => {
  const standing = new InstructionTracker(session);
  const [message] = [sent("user", turnPrompt(0))];
  const hidden = {
    ...message,
    parts: message?.parts.map((part) => ({ ...part, ignored: true })),
  } as HostMessage;
  standing.watch({ sent: [hidden] }, { step: 2, turn: 1 });
  expect(standing.figures.prompts).toEqual({ mean: 0, worst: 0 });
  const state = { status: "completed", input: {}, output: turnPrompt(0), metadata: {}, title: "" };
  const tool = { id: "t", messageID: "m", sessionID: "s", type: "tool", tool: "read", state };
  const called = {
    info: { id: "m", sessionID: "s", role: "assistant" },
    parts: [tool],
  } as unknown as HostMessage;
  standing.watch({ sent: [called] }, { step: 2, turn: 1 });
  expect(standing.figures.prompts).toEqual({ mean: 0.5, worst: 0 });
});

test("a turn whose record ends with a call has no closing answer", () => {
  const open: RecordedSession = {
    ...session,
    turns: [{ chars: 200, steps: [step(0, { calls: [read(0, 400)] })] }, ...session.turns.slice(1)],
  };
  const standing = new InstructionTracker(open);
  standing.look(1, "");
  expect(standing.figures.closings).toBeNull();
});
