// The scenarios of benchmark and demo, and their project.
import type { Files } from "../host/home.ts";
import type { Scenario, Step, Turn } from "./step.ts";

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

export function turn(number: number): Turn {
  return {
    type: "turn",
    place: "first",
    agent: "build",
    model: "anthropic",
    system: null,
    text: `Turn ${number}: look at part ${number}`,
    file: `src/part${number}.ts`,
    answer: `Part ${number} is a list of pure functions; nothing in it needs a change.`,
  };
}

const planned = (number: number): Step => ({ ...turn(number), agent: "plan" });

const reviewed = (number: number): Step => ({ ...turn(number), agent: "reviewer" });

const onSecondModel = (number: number): Step => ({ ...turn(number), model: "second" });

const elsewhere = (number: number): Step => ({ ...turn(number), place: "second" });

const forked = (number: number): Step => ({ ...turn(number), place: "fork" });

const withOwnSystem = (number: number): Step => ({
  ...turn(number),
  system: "Of this answer: it is read aloud, so write no lists and no code.",
});

const below = (number: number): Step => ({ ...turn(number), file: "lib/deep.ts" });

function turns(first: number, last: number): readonly Step[] {
  return Array.from({ length: last - first + 1 }, (_, index) => turn(first + index));
}

/** AGENTS.md with one more rule for each edit so far. */
export function edit(count: number): Extract<Step, { type: "edit" }> {
  const added = Array.from({ length: count }, (_, index) => `- Since edit ${index + 1}: be brief.`);
  return {
    type: "edit",
    place: "first",
    files: { "AGENTS.md": `${AGENTS_MD}${added.join("\n")}\n` },
  };
}

const restart: Step = { type: "restart" };

const skill = (name: string): Files => ({
  [`.opencode/skills/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: Does ${name}.\n---\nDo it.\n`,
});

const skillComes: Step = { type: "edit", place: "first", files: skill("sweep") };

const nested = (rule: string): Files => ({ "lib/AGENTS.md": `- Below lib: ${rule}\n` });

const nestedEdit: Step = { type: "edit", place: "first", files: nested("keep it deep.") };

/** Instructions for all projects. */
const globalEdit = (rule: string): Step => ({
  type: "edit",
  place: "home",
  files: { ".claude/CLAUDE.md": `- Everywhere: ${rule}\n` },
});

/** An agent whose prompt stands in place of the host's own. */
const REVIEWER = {
  mode: "primary",
  description: "Reviews.",
  prompt: AGENTS_MD.replaceAll("Rule", "Look at"),
};

const FOLDER = "packages/there";

/** A folder of the project to move to, with what its turns read. */
const BELOW: Files = Object.fromEntries(
  ["AGENTS.md", "src/part10.ts", "src/part11.ts"].map((path) => [
    `${FOLDER}/${path}`,
    PROJECT[path] ?? "",
  ]),
);

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
  news: {
    name: "news",
    about:
      "a changed global CLAUDE.md, a nested AGENTS.md read and edited, a new skill, an overloaded provider, midnight",
    files: {
      ...PROJECT,
      ...skill("tidy"),
      ...nested("keep it flat."),
      "lib/deep.ts": sourceFile(0),
    },
    steps: [
      globalEdit("be polite."),
      ...turns(1, 2),
      globalEdit("be brief."),
      turn(3),
      ...[below(4), nestedEdit, turn(5)],
      ...[skillComes, { type: "reopen" }, turn(6), turn(7)],
      ...[{ type: "overload" }, turn(8)],
      ...[{ type: "midnight" }, turn(9), turn(10)],
    ],
  },
  switches: {
    name: "switches",
    about: "another agent, another model and another tool list, each there and back",
    files: { ...PROJECT, "opencode.json": JSON.stringify({ agent: { reviewer: REVIEWER } }) },
    steps: [
      ...turns(1, 2),
      ...[reviewed(3), reviewed(4), edit(1), turn(5)],
      ...[onSecondModel(6), onSecondModel(7), turn(8)],
      ...[{ type: "tools", server: "comes" }, turn(9), edit(2), turn(10)],
      ...[{ type: "tools", server: "goes" }, turn(11), turn(12)],
    ],
  },
  breaks: {
    name: "breaks",
    about:
      "a prompt's own `system`, idleness beyond the cache's life, a fork, a move into a folder and back",
    files: { ...PROJECT, ...BELOW },
    steps: [
      ...turns(1, 2),
      ...[withOwnSystem(3), turn(4)],
      ...[edit(1), { type: "idle", minutes: 10 }, turn(5), turn(6)],
      ...[{ type: "fork" }, forked(7), forked(8), turn(9)],
      ...[{ type: "move", folder: FOLDER }, turn(10), turn(11)],
      ...[{ type: "move", folder: "" }, turn(12), turn(13)],
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
