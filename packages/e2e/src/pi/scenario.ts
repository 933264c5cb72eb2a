// What users do in a session of Pi, played on the real Pi, with its bill.
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPi } from "../../../../scripts/build-pi.mjs";
import { billRatio } from "../billing/ideal.ts";
import { writeFiles } from "../host/home.ts";
import { isObject, type JsonObject, objects, text } from "../json.ts";
import { billed, type CallRecord, rejections } from "../provider/record.ts";
import { call, say } from "../provider/reply.ts";
import { openPi, PI_MODELS, type PiModel, type PiProcess } from "./pi.ts";

type PiStep =
  /** A prompt whose first call reads a file. */
  | { readonly type: "turn" }
  | { readonly type: "edit"; readonly path: string; readonly text: string }
  | { readonly type: "restart" | "kill" }
  /** Forks before the newest prompt. */
  | { readonly type: "fork" }
  /** Moves to where the newest prompt but one was asked, and so leaves it and what follows. */
  | { readonly type: "tree" };

const TURN: PiStep = { type: "turn" };
const RESTART: PiStep = { type: "restart" };
const KILL: PiStep = { type: "kill" };

const rules = (word: string): PiStep => ({
  type: "edit",
  path: "AGENTS.md",
  text: `Rule ${word}: answer in ${word} sentences.\n`,
});

const SKILL: PiStep = {
  type: "edit",
  path: ".pi/skills/release/SKILL.md",
  text: "---\nname: release\ndescription: How a release is made.\n---\nTag it.\n",
};

/** By what users do. */
const PI_SCENARIOS = {
  steady: [TURN, TURN, TURN, TURN],
  edits: [TURN, rules("long"), TURN, rules("wild"), TURN, TURN],
  "restarts with edits": [TURN, TURN, rules("long"), RESTART, TURN, rules("wild"), RESTART, TURN],
  "kills with edits": [TURN, TURN, rules("long"), KILL, TURN, rules("wild"), KILL, TURN],
  "a new skill": [TURN, TURN, SKILL, RESTART, TURN, TURN],
  "a fork after an edit": [TURN, TURN, rules("long"), TURN, { type: "fork" }, TURN, TURN],
  "a move in the tree": [TURN, TURN, rules("long"), TURN, { type: "tree" }, TURN, TURN],
} as const satisfies Readonly<Record<string, readonly PiStep[]>>;

export type PiScenario = keyof typeof PI_SCENARIOS;

export const PI_SCENARIO_NAMES = Object.keys(PI_SCENARIOS) as readonly PiScenario[];

export interface PiRun {
  readonly calls: readonly CallRecord[];
  /** Against the least that this run could have cost; 1 is perfect. */
  readonly ratio: number;
  /** What a real provider would have refused, and what extensions failed at. */
  readonly failures: readonly string[];
}

const TREE = join(import.meta.dir, "../../fixtures/pi/tree.js");
const NOTE = "A line of a note that the session reads, of some length.\n".repeat(60);
const ANSWER = "It is a note. ".repeat(20);

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
): Promise<PiRun> {
  const files = { "AGENTS.md": "Rule short: answer in short sentences.\n" };
  const settings = { cacheWarming: "off" };
  const pi = await openPi({ extensions: [...extensions, TREE], files, settings });
  const { provider } = pi;
  if (model === "capable") provider.script.instructions = "by-rule";
  const id: PiModel = PI_MODELS[model];
  const failures: string[] = [];
  /** Indexes of the calls that came first after a fork or a move. */
  const rewrites = new Set<number>();
  let turns = 0;
  let running = pi.start([], id);
  const ended = () =>
    failures.push(
      ...running.events
        .filter(({ type }) => type === "extension_error")
        .map((it) => JSON.stringify(it)),
    );
  const play = async (step: PiStep) => {
    switch (step.type) {
      case "turn":
        turns += 1;
        // Another one each time: what is read twice is dropped once.
        writeFiles(pi.project, { [`note-${turns}.txt`]: `${NOTE}${turns}\n` });
        provider.script.queue(call("read", { path: `note-${turns}.txt` }), say(ANSWER));
        return running.say("Read the next note, please.");
      case "edit":
        return writeFiles(pi.project, { [step.path]: step.text });
      case "restart":
      case "kill":
        ended();
        await (step.type === "kill" ? running.kill9() : running.end());
        running = pi.start(["--continue"], id);
        return;
      case "fork":
        rewrites.add(provider.calls.length);
        await running.ask({ type: "fork", entryId: (await prompts(running)).at(-1) ?? "" });
        return;
      case "tree":
        rewrites.add(provider.calls.length);
        return running.say(`/tree-to ${(await prompts(running)).at(-2)}`);
    }
  };
  try {
    for (const step of PI_SCENARIOS[scenario]) await play(step);
    ended();
    const { calls } = provider;
    return {
      calls,
      ratio: billRatio(asOneSession(calls), ({ index }) => rewrites.has(index)),
      failures: [...rejections(calls), ...failures],
    };
  } finally {
    await pi.close();
  }
}

/**
 * A fork goes on in another session of Pi's and may read what its parent wrote; and Pi's prompt has no
 * agent's part in front, whose change would be another agent's: all of it is to stay.
 */
function asOneSession(calls: readonly CallRecord[]) {
  return billed(calls).map((one) => ({ ...one, session: "", preamble: "" }));
}

/** Ids of the entries that are the user's prompts, oldest first. */
async function prompts(running: PiProcess): Promise<readonly string[]> {
  const { data } = await running.ask({ type: "get_entries" });
  const entries: readonly JsonObject[] = isObject(data) ? objects(data.entries) : [];
  return entries
    .filter(({ message }) => isObject(message) && message.role === "user")
    .map(({ id }) => text(id));
}
