// Plays a scripted session on the real host.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostBinary } from "../../../../../scripts/host-binary.mjs";
import { type Host, type PluginEntry, STOCK, startHost } from "../../host/host.ts";
import type { ModelRef } from "../../host/models.ts";
import { Answerer, type Asked } from "./answerer.ts";
import { type CallNote, startFrugalProvider } from "./frugal-provider.ts";
import type { SessionScript } from "./session-script.ts";

export interface SessionSettings {
  readonly plugin: readonly PluginEntry[];
  readonly model: ModelRef;
  readonly windowTokens: number;
  readonly onTurn: (done: number, total: number) => void;
}

/** A call, and the turn that it belongs to. */
export interface PlayedCall extends CallNote {
  readonly turn: number;
}

export interface PlayedSession {
  readonly script: SessionScript;
  readonly calls: readonly PlayedCall[];
  readonly asked: readonly Asked[];
  /** Requests that the provider refused as too long, in tokens. */
  readonly tooLong: readonly number[];
  /** Turns that ended without an answer, with the host's word on it. */
  readonly failed: readonly string[];
}

const FIXTURES = join(import.meta.dir, "../../../fixtures");
const TURN_MS = 20_000;

export async function playSession(
  script: SessionScript,
  { plugin, model, windowTokens, onTurn }: SessionSettings,
): Promise<PlayedSession> {
  const answerer = new Answerer();
  let now = 0;
  const provider = await startFrugalProvider({
    respond: (heard) => answerer.respond(heard),
    windowTokens,
    clock: () => now,
  });
  const host = await startHost({
    ...STOCK,
    files: script.files,
    plugin,
    providerUrl: provider.url,
    config: { snapshot: false, mcp: { desk: deskServer() } },
  });
  try {
    provideRipgrep(host);
    const { client } = host;
    const { id } = await client.createSession();
    const calls: PlayedCall[] = [];
    const failed: string[] = [];
    for (const [number, turn] of script.turns.entries()) {
      now += TURN_MS;
      answerer.begin(turn);
      const text = turn.type === "work" ? turn.prompt : turn.fact.question;
      const answer = await client.prompt(id, text, { model });
      const error = answer.info.role === "assistant" ? answer.info.error : undefined;
      if (error) failed.push(`turn ${number}: ${JSON.stringify(error).slice(0, 200)}`);
      calls.push(...provider.notes.slice(calls.length).map((note) => ({ ...note, turn: number })));
      onTurn(number + 1, script.turns.length);
    }
    if (provider.rejections.length > 0) {
      throw new Error(`Refused: ${provider.rejections.slice(0, 3).join("; ")}`);
    }
    return { script, calls, asked: answerer.asked, tooLong: provider.tooLong, failed };
  } finally {
    await host.stop();
    await provider.stop();
  }
}

function deskServer() {
  const command = [hostBinary(), join(FIXTURES, "desk-server.js")];
  return { type: "local", command, environment: { BUN_BE_BUN: "1" } };
}

/** The host looks for `rg` in the PATH, then in its cache, else downloads it. */
function provideRipgrep(host: Host): void {
  if (Bun.which("rg") !== null) return;
  const bin = join(host.home.root, ".cache/opencode/bin");
  mkdirSync(bin, { recursive: true });
  const run = `exec env BUN_BE_BUN=1 '${hostBinary()}' '${join(FIXTURES, "ripgrep.js")}' "$@"`;
  writeFileSync(join(bin, "rg"), `#!/bin/sh\n${run}\n`);
  chmodSync(join(bin, "rg"), 0o755);
}
