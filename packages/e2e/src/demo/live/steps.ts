// The short session's steps.
import { PROJECT } from "../../scenario/catalogue.ts";
import type { Step } from "../../scenario/step.ts";

export const FILES = PROJECT;

/** Short, since each turn is paid for; it has what costs most on a host without the plugin. */
export const LIVE_STEPS: readonly Step[] = [
  turn(1, "build"),
  turn(2, "build"),
  edit("- Answer in one short sentence."),
  turn(3, "build"),
  turn(4, "plan"),
  turn(5, "build"),
  edit("- Answer in at most ten words."),
  { type: "restart" },
  turn(6, "build"),
];

function turn(number: number, agent: "build" | "plan"): Step {
  const file = `src/part${number}.ts`;
  return {
    type: "turn",
    place: "first",
    agent,
    model: "anthropic",
    system: null,
    text: `Turn ${number}: read ${file} and say in one sentence what it exports. Change nothing.`,
    file,
    answer: "",
  };
}

function edit(rule: string): Step {
  return {
    type: "edit",
    place: "first",
    files: { "AGENTS.md": `${PROJECT["AGENTS.md"]}${rule}\n` },
  };
}
