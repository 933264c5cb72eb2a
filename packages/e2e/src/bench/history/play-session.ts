// Plays a scripted session on the real host.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RewriteRecord } from "@session-runtime/opencode/features/history/rewrite-store";
import { hostBinary } from "../../../../../scripts/host-binary.mjs";
import { type Host, type PluginEntry, STOCK, startHost } from "../../host/host.ts";
import type { ModelRef } from "../../host/models.ts";
import type { JsonObject } from "../../json.ts";
import { Answerer, type AskedQuestion, type LookUps } from "./answerer.ts";
import { type CallNote, type FrugalProvider, startFrugalProvider } from "./frugal-provider.ts";
import { readRewrites } from "./read-rewrites.ts";
import { ScriptedHistorian } from "./scripted-historian.ts";
import type { ScriptTurn, SessionScript } from "./session-script.ts";

/** `restart`: before the turn. `kill`: at the turn's second call. `limit`: its first calls are refused with 429. */
export type Fault = "restart" | "kill" | "limit";

export interface SessionSettings {
  readonly plugin: readonly PluginEntry[];
  readonly model: ModelRef;
  readonly windowTokens: number;
  readonly lookUps: LookUps;
  /** Who answers the plugin's questions for summaries. */
  readonly historian: "none" | "scripted";
  /** After each turn: time for what is written in the background. */
  readonly pauseMs: number;
  /** By number of the turn. */
  readonly faults: ReadonlyMap<number, Fault>;
  /** Goes over the host's config. */
  readonly config: JsonObject;
  readonly onTurn: (done: number, total: number) => void;
  /** Called when all turns are done, while the host still runs. */
  readonly onEnd: (host: Host, session: string) => Promise<void>;
}

/** A call, and the turn that it belongs to. */
export interface PlayedCall extends CallNote {
  readonly turn: number;
}

export interface PlayedSession {
  readonly script: SessionScript;
  readonly calls: readonly PlayedCall[];
  readonly asked: readonly AskedQuestion[];
  /** Of the plugin's own record. */
  readonly rewrites: readonly RewriteRecord[];
  /** Requests that the provider refused as too long, in tokens. */
  readonly tooLong: readonly number[];
  /** Turns that ended without an answer, with the host's word on it. */
  readonly failed: readonly string[];
}

const FIXTURES = join(import.meta.dir, "../../../fixtures");
const TURN_MS = 20_000;
/** So many calls of one turn take longer than a request may. */
const MANY_STEPS = 20;
const REFUSALS = 2;
/** What is indexed and recorded after the last send. */
const SETTLE_MS = 500;

export async function playSession(
  script: SessionScript,
  settings: SessionSettings,
): Promise<PlayedSession> {
  const answerer = new Answerer(settings.lookUps);
  const historian = settings.historian === "scripted" ? new ScriptedHistorian(script) : null;
  let now = 0;
  let heard: () => void = () => undefined;
  const provider = await startFrugalProvider({
    respond: (call) => {
      if (call.kind === "main") heard();
      return call.kind === "job" && historian ? historian.answer(call) : answerer.respond(call);
    },
    windowTokens: settings.windowTokens,
    clock: () => now,
  });
  const host = await startHost({
    ...STOCK,
    files: script.files,
    plugin: settings.plugin,
    providerUrl: provider.url,
    config: { snapshot: false, mcp: { desk: deskServer() }, ...settings.config },
  });
  try {
    provideRipgrep(host);
    const { id } = await host.client.createSession();
    const calls: PlayedCall[] = [];
    const failed: string[] = [];
    for (const [number, turn] of script.turns.entries()) {
      now += TURN_MS;
      const fault = settings.faults.get(number);
      if (fault === "restart") await host.restart({});
      if (fault === "limit") answerer.refuse(REFUSALS);
      answerer.begin(turn);
      const error =
        fault === "kill" && turn.type === "work"
          ? await killDuringAnswer(turnText(turn))
          : await take(turnText(turn), turn);
      await Bun.sleep(settings.pauseMs);
      if (error !== null) failed.push(`turn ${number}: ${error}`);
      calls.push(...provider.notes.slice(calls.length).map((note) => ({ ...note, turn: number })));
      settings.onTurn(number + 1, script.turns.length);
    }
    await Bun.sleep(SETTLE_MS);
    await settings.onEnd(host, id);
    const rewrites = await readRewrites(host.home.database, id);
    return { script, calls, rewrites, failed, ...requireResult(answerer, provider) };

    async function take(text: string, turn: ScriptTurn): Promise<string | null> {
      const { model } = settings;
      if (turn.type === "work" && turn.steps.length > MANY_STEPS) {
        const running = await host.client.promptAsync(id, text, { model });
        await running.settled;
        return null;
      }
      const { info } = await host.client.prompt(id, text, { model });
      const error = info.role === "assistant" ? info.error : undefined;
      return error ? JSON.stringify(error).slice(0, 200) : null;
    }

    /** The turn goes on by a prompt of its own, once the host is there again. */
    async function killDuringAnswer(text: string): Promise<string | null> {
      const second = Promise.withResolvers<void>();
      let count = 0;
      heard = () => {
        count += 1;
        if (count === 2) second.resolve();
      };
      const killedPrompt = host.client.prompt(id, text, { model: settings.model }).then(
        () => "it ended before it could be killed",
        () => null,
      );
      await second.promise;
      await host.kill9();
      const survived = await killedPrompt;
      heard = () => undefined;
      await host.start({});
      const { info } = await host.client.prompt(id, "Go on where you were.", {
        model: settings.model,
      });
      return info.role === "assistant" && info.error ? JSON.stringify(info.error) : survived;
    }
  } finally {
    await host.stop();
    await provider.stop();
  }
}

function turnText(turn: ScriptTurn): string {
  return turn.type === "work" ? turn.prompt : turn.fact.question;
}

function requireResult(answerer: Answerer, { rejections, tooLong }: FrugalProvider) {
  if (rejections.length > 0) throw new Error(`Refused: ${rejections.slice(0, 3).join("; ")}`);
  return { asked: answerer.asked, tooLong };
}

export function deskServer() {
  const command = [hostBinary(), join(FIXTURES, "desk-server.js")];
  return { type: "local", command, environment: { BUN_BE_BUN: "1" } };
}

/** The host looks for `rg` in the PATH, then in its cache, else downloads it. */
export function provideRipgrep(host: Host): void {
  if (Bun.which("rg") !== null) return;
  const bin = join(host.home.root, ".cache/opencode/bin");
  mkdirSync(bin, { recursive: true });
  const run = `exec env BUN_BE_BUN=1 '${hostBinary()}' '${join(FIXTURES, "ripgrep.js")}' "$@"`;
  writeFileSync(join(bin, "rg"), `#!/bin/sh\n${run}\n`);
  chmodSync(join(bin, "rg"), 0o755);
}
