// What users do in a session of Pi, played on the real Pi, with its bill.
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPi } from "../../../../scripts/build-pi.mjs";
import type { Files } from "../host/home.ts";
import type { PI_MODELS } from "./pi.ts";
import { type PiPlay, type PiRun, type PiStep, playSteps } from "./play.ts";

const NOTE = "A line of a note that the session reads, of some length.\n".repeat(60);

/** Another note each time: what is read twice is dropped once. */
const turn = (number: number): PiStep => ({
  type: "turn",
  text: "Read the next note, please.",
  file: `note-${number}.txt`,
  answer: "It is a note. ".repeat(20),
});
const [A, B, C, D, E] = [turn(1), turn(2), turn(3), turn(4), turn(5)] as const;

const FILES: Files = {
  "AGENTS.md": "Rule short: answer in short sentences.\n",
  ...Object.fromEntries([1, 2, 3, 4, 5].map((one) => [`note-${one}.txt`, `${NOTE}${one}\n`])),
};

const RESTART: PiStep = { type: "restart" };
const KILL: PiStep = { type: "kill" };

const rules = (word: string): PiStep => ({
  type: "edit",
  files: { "AGENTS.md": `Rule ${word}: answer in ${word} sentences.\n` },
  news: `answer in ${word} sentences`,
});

const SKILL: PiStep = {
  type: "edit",
  files: {
    ".pi/skills/release/SKILL.md":
      "---\nname: release\ndescription: How a release is made.\n---\nTag it.\n",
  },
  news: "How a release is made.",
};

/** By what users do. */
const PI_SCENARIOS = {
  steady: [A, B, C, D],
  edits: [A, rules("long"), B, rules("wild"), C, D],
  "restarts with edits": [A, B, rules("long"), RESTART, C, rules("wild"), RESTART, D],
  "kills with edits": [A, B, rules("long"), KILL, C, rules("wild"), KILL, D],
  "a new skill": [A, B, SKILL, RESTART, C, D],
  "a fork after an edit": [A, B, rules("long"), C, { type: "fork" }, D, E],
  "a move in the tree": [A, B, rules("long"), C, { type: "tree" }, D, E],
} as const satisfies Readonly<Record<string, readonly PiStep[]>>;

export type PiScenario = keyof typeof PI_SCENARIOS;

export const PI_SCENARIO_NAMES = Object.keys(PI_SCENARIOS) as readonly PiScenario[];

/** Our extension, bundled as it is published. */
export function buildExtension(): string {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-pi-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  // Its manifest says that these files are modules.
  const manifest = join(import.meta.dir, "../../../pi/package.json");
  copyFileSync(manifest, join(folder, "package.json"));
  return buildPi(join(folder, "dist"));
}

/** Plays a scenario; without extensions it is the stock Pi. */
export async function playPi(
  scenario: PiScenario,
  model: keyof typeof PI_MODELS,
  extensions: readonly string[],
  onEnd: PiPlay["onEnd"] = () => Promise.resolve(),
): Promise<PiRun> {
  return playSteps(PI_SCENARIOS[scenario], {
    ...{ files: FILES, model, extensions },
    onStep: () => undefined,
    onEnd,
  });
}
