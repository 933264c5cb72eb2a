// The session of the benchmark: ordinary work, with an instruction said once in some turns, and moments at which they matter.
import { Dice } from "../history/dice.ts";
import { fillerLines } from "../history/filler.ts";
import { writeSession } from "../history/generate.ts";
import { type SessionScript, type Step, step, type WorkTurn } from "../history/session-script.ts";
import type { Instruction } from "./instructions.ts";

export interface StandingTurn {
  readonly work: WorkTurn;
  /** How the user says it: as a prompt, or as what a command is given. */
  readonly by: "prompt" | "command";
  /** What the user answers to the turn's question; null: nothing is asked. */
  readonly reply: string | null;
  /** What matters in this turn. */
  readonly moments: readonly Instruction[];
}

export interface StandingScript {
  readonly files: SessionScript["files"];
  readonly turns: readonly StandingTurn[];
}

export interface StandingPlan {
  readonly seed: number;
  readonly turns: number;
  /** Instructions are given in the first so many turns, and matter in the others. */
  readonly givenWithin: number;
  readonly lengthFactor: number;
  readonly instructions: readonly Instruction[];
}

/** The host's command that the user's words are given to. */
export const COMMAND = "task";
export const COMMAND_TEMPLATE =
  "Work on this in small steps. Say in the end what you did.\n\n$ARGUMENTS";

export function writeStanding(plan: StandingPlan): StandingScript {
  const { seed, turns, givenWithin, lengthFactor, instructions } = plan;
  const session = writeSession({ seed, turns, ages: [], lengthFactor });
  const dice = new Dice(seed + 1_000);
  const given = new Map(
    instructions.map((one, at) => [Math.floor((at * givenWithin) / instructions.length), one]),
  );
  if (given.size < instructions.length) throw new Error("Two instructions would share a turn");
  const asked = dice.shuffled(instructions);
  const left = turns - givenWithin;
  return {
    files: session.files,
    turns: session.turns.flatMap((work, number) => {
      if (work.type !== "work") return [];
      const moments = asked.filter(
        (_, at) => givenWithin + Math.floor((at * left) / asked.length) === number,
      );
      return [scriptTurn(work, { given: given.get(number) ?? null, moments, dice })];
    }),
  };
}

interface TurnCursor {
  readonly given: Instruction | null;
  readonly moments: readonly Instruction[];
  readonly dice: Dice;
}

function scriptTurn(work: WorkTurn, { given, moments, dice }: TurnCursor): StandingTurn {
  const plain: StandingTurn = { work, by: "prompt", reply: null, moments };
  if (given === null) return plain;
  const { text } = given;
  const says = (prompt: string): StandingTurn => ({ ...plain, work: { ...work, prompt } });
  switch (given.way) {
    case "short":
    case "in German":
    case "in Chinese":
    case "takes one back":
      return says(`${work.prompt} ${text}`);
    case "in a long prompt":
      return says(longPrompt(work.prompt, text, dice));
    case "after a pasted log":
      return says(`${work.prompt} This is what I get:\n\n${pastedLog(dice)}\n\n${text}`);
    case "argument of a command":
      return { ...says(`${work.prompt} ${text}`), by: "command" };
    case "answer to a question":
      return { ...plain, work: { ...work, steps: [asking(), ...work.steps] }, reply: text };
  }
}

const FILLER_SENTENCES = [
  "We talked about this last week and nobody was quite happy with where it stood.",
  "The part that I care about most is that it can be read by someone who wasn't there.",
  "There are two callers that I know of, and one of them goes away at the end of the month.",
  "I don't mind if it takes a little longer, as long as the tests say what they test.",
  "The first version was written in a hurry, so don't take its structure for a decision.",
  "If something there looks odd, it probably is, and I would like to hear of it.",
  "The people on support asked for it, and they will be the ones who use it.",
  "It doesn't have to be fast, but it should say what it does while it does it.",
] as const;

/** The instruction stands in the middle of it. */
function longPrompt(task: string, text: string, dice: Dice): string {
  const paragraphs = Array.from({ length: 6 }, () =>
    dice.shuffled(FILLER_SENTENCES).slice(0, 5).join(" "),
  );
  const middle = paragraphs.length / 2;
  const [before, after] = [paragraphs.slice(0, middle), paragraphs.slice(middle + 1)];
  const around = paragraphs[middle] ?? "";
  return [task, ...before, `${around.slice(0, around.indexOf(". ") + 2)}${text}`, ...after].join(
    "\n\n",
  );
}

const LOG_LINES = 60;

function pastedLog(dice: Dice): string {
  return ["```", ...fillerLines("log", LOG_LINES, dice), "```"].join("\n");
}

function asking(): Step {
  const options = [
    { label: "Yes", description: "As it is now" },
    { label: "No", description: "Drop it" },
  ];
  const question = "Is there something here that has to stay as it is?";
  return step({ name: "question", input: { questions: [{ question, header: "Keep", options }] } });
}
