// Sessions without questions: one long turn, large outputs, a short talk, a model that reads again and again.
import { Dice } from "./dice.ts";
import { writeSession } from "./generate.ts";
import { type ScriptTurn, type SessionScript, type Step, step } from "./session-script.ts";
import { Workshop } from "./workshop.ts";

const SEED = 11;

/** One prompt, then so many calls. */
export function oneLongTurn(calls: number, lengthFactor: number): SessionScript {
  const whole = writeSession({ seed: SEED, turns: calls, ages: [], lengthFactor });
  const steps = whole.turns.flatMap((turn) => (turn.type === "work" ? turn.steps : []));
  return {
    name: `one turn of ${calls} calls`,
    files: whole.files,
    turns: [
      {
        type: "work",
        prompt: "Work through the whole list of tasks on your own, and say when all is done.",
        steps: steps.slice(0, calls - 1),
        answer: "All is done.",
        facts: [],
      },
    ],
  };
}

export function manyTurns(turns: number, lengthFactor: number): SessionScript {
  return { ...writeSession({ seed: SEED, turns, ages: [], lengthFactor }), name: `${turns} turns` };
}

/** Turns of so many commands that print so much each, and a few small calls. */
export function largeOutputs(turns: number, perTurn: number, chars: number): SessionScript {
  const dice = new Dice(SEED);
  const workshop = new Workshop(dice, SHORT);
  const made = Array.from({ length: turns }, (_, turn) => {
    const large = Array.from({ length: perTurn }, () => step(workshop.printing(chars)));
    const small = [workshop.readNew([]), workshop.grep([]), workshop.command([])];
    const steps = [...large, ...small.map((call) => step(call))];
    return workTurn(`Task ${turn + 1}: look at what it prints, and where it comes from.`, steps);
  });
  return { name: `${turns} turns`, files: workshop.files, turns: made };
}

/** Two calls a turn, and little in each. */
export function shortTalk(calls: number): SessionScript {
  const dice = new Dice(SEED);
  const workshop = new Workshop(dice, SHORT);
  const made = Array.from({ length: calls / 2 }, (_, turn) =>
    workTurn(`Question ${turn + 1}: what is in there?`, [step(workshop.readNew([]))]),
  );
  return { name: `a talk of ${calls} calls`, files: workshop.files, turns: made };
}

/** Against the usual length of outputs. */
const SHORT = 0.08;

/** Each turn needs three of the same files, and reads those again that it no longer sees. Nothing else is read. */
export function readingAgain(turns: number, files: number): SessionScript {
  const dice = new Dice(SEED);
  const workshop = new Workshop(dice, 1);
  const known = Array.from({ length: files }, () => workshop.marked());
  const made = Array.from({ length: turns }, (_, turn) =>
    needing(turn, dice.shuffled(known).slice(0, 3)),
  );
  return { name: `a model that needs ${files} files`, files: workshop.files, turns: made };
}

/** Each turn reads a new file, looks at a log, and needs three of all the files that were ever read. */
export function readingAnythingAgain(turns: number): SessionScript {
  const dice = new Dice(SEED);
  const workshop = new Workshop(dice, 1);
  const known: MarkedPlan[] = [];
  const made = Array.from({ length: turns }, (_, turn) => {
    const needed = dice.shuffled(known).slice(0, 3);
    const newest = workshop.marked();
    known.push(newest);
    return needing(turn, [newest, ...needed], step(workshop.command([])));
  });
  return { name: "a model that needs any file", files: workshop.files, turns: made };
}

type MarkedPlan = ReturnType<Workshop["marked"]>;

function needing(
  turn: number,
  files: readonly MarkedPlan[],
  ...after: readonly Step[]
): ScriptTurn {
  const reads = files.map(({ read, marker }): Step => ({ calls: [read], unlessShown: marker }));
  return workTurn(`Task ${turn + 1}: bring these files in line.`, [...reads, ...after]);
}

function workTurn(prompt: string, steps: readonly Step[]): ScriptTurn {
  return { type: "work", prompt, steps, answer: "That is done. Nothing else changed.", facts: [] };
}
