// Plays the session on the real host: its turns, then a restart, a fork and a compaction, each with a look at all.
import { type Host, STOCK, startHost } from "../../host/host.ts";
import type { ModelRef } from "../../host/models.ts";
import { startFrugalProvider } from "../history/frugal-provider.ts";
import { deskServer, provideRipgrep } from "../history/play-session.ts";
import type { Side } from "../history/sides.ts";
import type { Instruction } from "./instructions.ts";
import { StandingModel } from "./model.ts";
import { COMMAND, COMMAND_TEMPLATE, type StandingScript, type StandingTurn } from "./script.ts";

export const EVENTS = ["restart", "fork", "compaction"] as const;

export interface StandingRun {
  readonly side: string;
  /** What was obeyed at its moment. */
  readonly obeyed: readonly Instruction[];
  /** What stands after each event. */
  readonly after: Readonly<Record<(typeof EVENTS)[number], readonly Instruction[]>>;
  readonly bill: number;
  readonly compactions: number;
  readonly tooLong: number;
  /** Turns that ended without an answer, with the host's word on it. */
  readonly failed: readonly string[];
}

interface StandingSettings extends Pick<Side, "name" | "plugin"> {
  readonly instructions: readonly Instruction[];
  readonly model: ModelRef;
  readonly windowTokens: number;
  readonly onTurn: (done: number, total: number) => void;
}

const TURN_MS = 20_000;
const REVIEW = "Go through what you have to keep to, before we end this.";

export async function playStanding(
  script: StandingScript,
  { name, plugin, instructions, model, windowTokens, onTurn }: StandingSettings,
): Promise<StandingRun> {
  const scripted = new StandingModel();
  let now = 0;
  const provider = await startFrugalProvider({
    respond: (heard) => scripted.respond(heard),
    windowTokens,
    clock: () => now,
  });
  const command = { [COMMAND]: { template: COMMAND_TEMPLATE } };
  const host = await startHost({
    ...STOCK,
    files: script.files,
    plugin,
    providerUrl: provider.url,
    config: { snapshot: false, mcp: { desk: deskServer() }, command },
    env: QUESTIONS,
  });
  try {
    provideRipgrep(host);
    const { id } = await host.client.createSession();
    const failed: string[] = [];
    for (const [number, turn] of script.turns.entries()) {
      now += TURN_MS;
      scripted.begin(turn);
      const error = await take(host, id, { turn, model });
      if (error !== null) failed.push(`turn ${number}: ${error}`);
      onTurn(number + 1, script.turns.length);
    }
    const review = async (session: string) => {
      now += TURN_MS;
      scripted.review(instructions);
      await host.client.prompt(session, REVIEW, { model });
      return scripted.reviewed;
    };
    await host.restart({});
    const restart = await review(id);
    const fork = await review((await host.client.fork(id)).id);
    await host.client.summarize(id, model);
    const compaction = await review(id);
    const { rejections, notes, tooLong } = provider;
    if (rejections.length > 0) throw new Error(`Refused: ${rejections.slice(0, 3).join("; ")}`);
    return {
      ...{ side: name, obeyed: scripted.obeyed, after: { restart, fork, compaction } },
      bill: notes.reduce((sum, { bill }) => sum + bill, 0),
      // One was asked for.
      compactions: notes.filter(({ kind }) => kind === "compaction").length - 1,
      ...{ tooLong: tooLong.length, failed },
    };
  } finally {
    await host.stop();
    await provider.stop();
  }
}

/** The host offers its `question` tool only to clients that can show it. */
const QUESTIONS = { OPENCODE_CLIENT: "cli", OPENCODE_ENABLE_QUESTION_TOOL: "1" };

interface AnswerState {
  readonly turn: StandingTurn;
  readonly model: ModelRef;
}

/** The host's word on it where the turn ended without an answer. */
async function take(host: Host, id: string, { turn, model }: AnswerState): Promise<string | null> {
  const { by, work, reply } = turn;
  const running =
    by === "command"
      ? host.client.command(id, COMMAND, work.prompt)
      : host.client.prompt(id, work.prompt, { model });
  const [{ info }] = await Promise.all([running, reply === null ? null : answer(host, id, reply)]);
  const error = info.role === "assistant" ? info.error : undefined;
  return error ? JSON.stringify(error).slice(0, 200) : null;
}

interface HostRequest {
  readonly id: string;
  readonly sessionID: string;
}

const ASKED_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 50;

async function answer({ client }: Host, session: string, reply: string): Promise<void> {
  const until = Date.now() + ASKED_WITHIN_MS;
  while (Date.now() < until) {
    const asked = await client.request<readonly HostRequest[]>("GET", "/question");
    const own = asked.find(({ sessionID }) => sessionID === session);
    if (own) {
      await client.request("POST", `/question/${own.id}/reply`, { answers: [[reply]] });
      return;
    }
    await Bun.sleep(LOOK_EVERY_MS);
  }
  throw new Error("The host has asked no question");
}
