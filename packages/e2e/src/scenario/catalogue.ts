import type { Files } from "../host/home.ts";
import type { Scenario, Step } from "./step.ts";

const FILES = 14;
const LINES_PER_FILE = 40;

function sourceFile(number: number): string {
  const lines = Array.from({ length: LINES_PER_FILE }, (_, line) => {
    const name = `step${number}x${line}`;
    return `export const ${name} = (input: number) => input * ${line + 1} + ${number};`;
  });
  return `${lines.join("\n")}\n`;
}

const AGENTS_MD = [
  "# Working here",
  "",
  ...Array.from({ length: 30 }, (_, rule) => `- Rule ${rule}: keep step ${rule} small and named.`),
  "",
].join("\n");

/** A project of realistic size: instructions of half a page, source files of some kilobytes. */
export const PROJECT: Files = {
  "AGENTS.md": AGENTS_MD,
  ...Object.fromEntries(
    Array.from({ length: FILES }, (_, index) => [`src/part${index + 1}.ts`, sourceFile(index + 1)]),
  ),
};

function turn(number: number): Step {
  return {
    type: "turn",
    place: "first",
    agent: "build",
    text: `Turn ${number}: look at part ${number}`,
    file: `src/part${number}.ts`,
    answer: `Part ${number} is a list of pure functions; nothing in it needs a change.`,
  };
}

const planned = (number: number): Step => ({ ...turn(number), agent: "plan" }) as Step;

const elsewhere = (number: number): Step => ({ ...turn(number), place: "second" }) as Step;

function turns(first: number, last: number): readonly Step[] {
  return Array.from({ length: last - first + 1 }, (_, index) => turn(first + index));
}

/** AGENTS.md with one more rule for each edit so far. */
function edit(count: number): Step {
  const added = Array.from({ length: count }, (_, index) => `- Since edit ${index + 1}: be brief.`);
  return {
    type: "edit",
    place: "first",
    files: { "AGENTS.md": `${AGENTS_MD}${added.join("\n")}\n` },
  };
}

const restart: Step = { type: "restart" };

export const SCENARIOS = {
  steady: {
    name: "steady",
    about: "twelve turns in which nothing around the session changes",
    files: PROJECT,
    steps: turns(1, 12),
  },
  edits: {
    name: "edits",
    about: "two edits of AGENTS.md",
    files: PROJECT,
    steps: [...turns(1, 4), edit(1), ...turns(5, 8), edit(2), ...turns(9, 12)],
  },
  restarts: {
    name: "restarts",
    about: "three restarts of the host, an edit of AGENTS.md before each",
    files: PROJECT,
    steps: [
      ...turns(1, 3),
      ...[edit(1), restart],
      ...turns(4, 6),
      ...[edit(2), restart],
      ...turns(7, 9),
      ...[edit(3), restart],
      ...turns(10, 12),
    ],
  },
  plan: {
    name: "plan",
    about: "plan mode there and back, twice",
    files: PROJECT,
    steps: [
      ...turns(1, 3),
      ...[planned(4), planned(5)],
      ...turns(6, 8),
      planned(9),
      ...turns(10, 12),
    ],
  },
  /** The demo's: everything that changes around a session, once or twice. */
  day: {
    name: "day",
    about: "a day's work: edits, plan mode, a restart, an undo, a compaction, a second project",
    files: PROJECT,
    steps: [
      ...turns(1, 2),
      edit(1),
      turn(3),
      ...[planned(4), turn(5)],
      edit(2),
      ...[restart, turn(6)],
      turn(7),
      { type: "undo" },
      turn(8),
      { type: "compact" },
      ...turns(9, 10),
      ...[elsewhere(11), elsewhere(12)],
    ],
  },
} as const satisfies Readonly<Record<string, Scenario>>;

export type ScenarioName = keyof typeof SCENARIOS;
