// The demo's day on Pi: what changes around a session there.
// Folder: The demo on Pi.
import type { Files } from "../../host/home.ts";
import type { PiStep } from "../../pi/play.ts";
import { edit, PROJECT, turn } from "../../scenario/catalogue.ts";

export interface PiDay {
  readonly about: string;
  readonly files: Files;
  readonly steps: readonly PiStep[];
}

const edited = (count: number): PiStep => ({
  ...edit(count),
  news: `Since edit ${count}: be brief.`,
});

const RESTART: PiStep = { type: "restart" };

const SKILL: PiStep = {
  type: "edit",
  files: { ".pi/skills/sweep/SKILL.md": "---\nname: sweep\ndescription: Sweeps.\n---\nSweep.\n" },
  news: "Sweeps.",
};

export const PI_DAY: PiDay = {
  about: "a day's work: edits, restarts after edits, a new skill, a move in the tree",
  files: PROJECT,
  steps: [
    ...[turn(1), turn(2)],
    ...[edited(1), turn(3)],
    ...[edited(2), RESTART, turn(4), turn(5)],
    ...[SKILL, RESTART, turn(6), turn(7)],
    ...[{ type: "tree" } as const, turn(8)],
    ...[edited(3), { type: "kill" } as const, turn(9), turn(10)],
    ...[edited(4), turn(11), turn(12), turn(13)],
  ],
};

export function describeStep(step: PiStep): string {
  switch (step.type) {
    case "turn":
      return step.text;
    case "edit":
      return `edit of ${Object.keys(step.files).join(", ")}`;
    case "restart":
      return "restart of Pi";
    case "kill":
      return "kill and restart of Pi";
    case "fork":
      return "fork before the last prompt";
    case "tree":
      return "move in the tree, two prompts back";
  }
}
