// Plays a scripted session on the real Pi.
import { join } from "node:path";
import { writeFiles } from "../../host/home.ts";
import { isObject, type JsonObject, objects, text } from "../../json.ts";
import { openPi, type PiModel, type PiProcess } from "../../pi/pi.ts";
import type { Reply, ScriptedCall } from "../../provider/reply.ts";
import { Answerer } from "../history/answerer.ts";
import { startFrugalProvider } from "../history/frugal-provider.ts";
import type { PlayedCall, PlayedSession } from "../history/play-session.ts";
import { readRewrites } from "../history/read-rewrites.ts";
import type { SessionScript } from "../history/session-script.ts";
import { HISTORY_ON } from "../history/sides.ts";

export interface PiSessionSettings {
  /** Without any it is the stock Pi. */
  readonly extensions: readonly string[];
  readonly model: PiModel;
  readonly windowTokens: number;
  readonly onTurn: (done: number, total: number) => void;
}

const DESK = join(import.meta.dir, "../../../fixtures/pi/desk.js");
const TURN_MS = 20_000;

export async function playOnPi(
  script: SessionScript,
  { extensions, model, windowTokens, onTurn }: PiSessionSettings,
): Promise<PlayedSession> {
  const answerer = new Answerer("look-up");
  let now = 0;
  const provider = await startFrugalProvider({
    respond: (heard) => onPisTools(answerer.respond(heard)),
    windowTokens,
    clock: () => now,
  });
  const pi = await openPi({
    extensions: [DESK, ...extensions],
    files: script.files,
    providerUrl: provider.url,
    settings: { cacheWarming: "off" },
  });
  const config = { "opencode/session-runtime.json": JSON.stringify(HISTORY_ON) };
  writeFiles(join(pi.root, "config"), config);
  const running = pi.start([], model);
  try {
    const calls: PlayedCall[] = [];
    const failed: string[] = [];
    for (const [number, turn] of script.turns.entries()) {
      now += TURN_MS;
      answerer.begin(turn);
      await running.say(turn.type === "work" ? turn.prompt : turn.fact.question);
      const error = await lastError(running);
      if (error !== null) failed.push(`turn ${number}: ${error}`);
      calls.push(...provider.notes.slice(calls.length).map((note) => ({ ...note, turn: number })));
      onTurn(number + 1, script.turns.length);
    }
    if (provider.rejections.length > 0) {
      throw new Error(`Refused: ${provider.rejections.slice(0, 3).join("; ")}`);
    }
    const { data } = await running.ask({ type: "get_state" });
    const session = isObject(data) ? text(data.sessionId) : "";
    await running.end();
    const rewrites = await readRewrites(pi.database, session);
    const { tooLong } = provider;
    return { script, calls, rewrites, failed, asked: answerer.asked, tooLong };
  } finally {
    await pi.close();
    await provider.stop();
  }
}

/** Null: the newest answer has come. */
async function lastError(running: PiProcess): Promise<string | null> {
  const { data } = await running.ask({ type: "get_messages" });
  const last = isObject(data) ? objects(data.messages).at(-1) : undefined;
  if (last?.role === "assistant" && last.stopReason === "stop") return null;
  return JSON.stringify(last ?? null).slice(0, 200);
}

/** The script speaks of OpenCode's tools. */
function onPisTools(reply: Reply): Reply {
  return reply.type === "answer" ? { ...reply, calls: reply.calls.map(piCall) } : reply;
}

function piCall({ name, input }: ScriptedCall): ScriptedCall {
  const { filePath, oldString, newString, description: _description, ...others } = input;
  const at: JsonObject = filePath === undefined ? others : { path: filePath, ...others };
  switch (name) {
    case "edit":
      return { name, input: { path: filePath ?? "", edits: [edit(oldString, newString)] } };
    case "grep":
      return {
        name: "bash",
        input: { command: `grep -rn ${text(input.pattern)} ${text(input.path)}` },
      };
    default:
      return { name, input: at };
  }
}

function edit(oldText: JsonObject[string] = "", newText: JsonObject[string] = ""): JsonObject {
  return { oldText, newText };
}
