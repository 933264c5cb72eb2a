// A session on the kernel alone, as a program: `play FILE` plays it over a database, restarts in the middle and
// prints what was sent with the ledger; `replay FILE` prints what the ledger of such an output replays to.
import { readFileSync } from "node:fs";
import { combine } from "../../src/context/system-context.ts";
import { listEdits } from "../../src/ledger/entry.ts";
import type { HostMessage } from "../../src/ledger/message.ts";
import { createPolicies } from "../../src/ledger/policy-list.ts";
import { replay } from "../../src/ledger/replay.ts";
import { usualRates } from "../../src/ledger/space.ts";
import type { SessionMessage } from "../../src/session/history.ts";
import { SessionRuntime } from "../../src/session/runtime.ts";
import { FileCache } from "../../src/sources/file-cache.ts";
import { UrlCache } from "../../src/sources/instruction-urls.ts";
import type { RuntimeDatabase } from "../../src/storage/database.ts";
import type { EntryRecord } from "../../src/storage/ledger-table.ts";
import { openRuntimeDatabase } from "../../src/storage/open.ts";
import type { SessionId } from "../../src/storage/records.ts";
import { composeSchema } from "../../src/storage/schema.ts";

export interface PlayedCall {
  /** Of each call: the system strings, then the messages. */
  readonly sent: readonly (readonly [readonly string[], readonly HostMessage[]])[];
  readonly history: readonly HostMessage[];
  readonly entries: readonly EntryRecord[];
}

const SESSION = "ses_1" as SessionId;
const DAY_MS = 86_400_000;
const FIRST_DAY_MS = Date.UTC(2026, 10, 20, 12);
export const PLACE = { directory: "/nowhere/project", worktree: "/nowhere/project" };
export const MODEL = { providerId: "anthropic", modelId: "opus", apiId: "claude-opus", npm: "x" };

export const history: readonly SessionMessage[] = ["Hello.", "Go on.", "And then?"].flatMap(
  (asked, at) => {
    const time = { created: FIRST_DAY_MS + at, completed: FIRST_DAY_MS + at };
    const [user, assistant] = [`msg_${at}a`, `msg_${at}b`];
    const base = { sessionID: SESSION, time };
    const model = { providerID: MODEL.providerId, modelID: MODEL.modelId };
    const part = (messageID: string, text: string) => [
      { id: `prt_${messageID}`, sessionID: SESSION, messageID, type: "text" as const, text },
    ];
    return [
      {
        info: { ...base, id: user, role: "user" as const, agent: "build", model },
        parts: part(user, asked),
      },
      {
        info: { ...base, ...model, id: assistant, role: "assistant" as const, parentID: user },
        parts: part(assistant, `Answer ${at}.`),
      },
    ];
  },
);

export function hostSystem(nowMs: number): string {
  return [
    "You are the build agent.",
    `You are powered by the model named ${MODEL.apiId}. The exact model ID is ${MODEL.providerId}/${MODEL.apiId}`,
    "Here is some useful information about the environment you are running in:",
    "<env>",
    `  Working directory: ${PLACE.directory}`,
    `  Workspace root folder: ${PLACE.worktree}`,
    "  Is directory a git repo: yes",
    "  Platform: linux",
    `  Today's date: ${new Date(nowMs).toDateString()}`,
    "</env>",
  ].join("\n");
}

export function runtimeOver(
  database: RuntimeDatabase,
  now: () => number,
  /** Takes the work that comes after a send. */
  later: (work: () => void) => void,
): SessionRuntime {
  const files = new FileCache();
  return new SessionRuntime({
    database: () => database,
    location: PLACE,
    toolTokens: new Map(),
    sources: {
      environment: { ...PLACE, git: "yes", platform: "linux" },
      scope: {
        ...PLACE,
        configDirectory: "/nowhere/config",
        homeDirectory: "/nowhere",
        projectFiles: "read",
        claudeFiles: "ignored",
        configured: () => [],
      },
      files,
      urls: new UrlCache(),
      now,
      timeZone: null,
      findApiId: () => MODEL.apiId,
      summary: () => ({ context: () => combine([]) }),
      added: () => ({ context: ({ builtIn }) => builtIn }),
    },
    files,
    settings: {
      cacheTtlMs: 300_000,
      sourceTimeoutMs: 1_000,
      onModelSwitch: "keep",
      split: "auto",
      system: "ours",
    },
    hostPrune: () => "off",
    withheld: () => null,
    policies: () => createPolicies([]),
    witnesses: () => [],
    measureSpace: () => ({ estimatedTokens: 10, usableTokens: 1_000, rates: usualRates }),
    now,
    defer: (_, work) => later(work),
    boundFailure: () => null,
    textsDamaged: () => undefined,
    sourceFailed: () => undefined,
    sourceBack: () => undefined,
    decided: () => undefined,
    storageWorks: () => undefined,
    storageFailed: (error) => {
      throw error;
    },
  });
}

async function play(path: string): Promise<PlayedCall> {
  const sent: PlayedCall["sent"][number][] = [];
  let entries: readonly EntryRecord[] = [];
  // One process makes the first two calls, a second one the third.
  for (const calls of [[1, 2], [3]]) {
    const { database } = await openRuntimeDatabase({ path, schema: composeSchema([]) });
    let nowMs = FIRST_DAY_MS;
    const runtime = runtimeOver(
      database,
      () => nowMs,
      (work) => work(),
    );
    for (const call of calls) {
      nowMs = FIRST_DAY_MS + Math.min(call - 1, 1) * DAY_MS + call;
      const projected = await runtime.projectHistory(history.slice(0, 2 * call - 1));
      const strings = [hostSystem(nowMs)];
      const system = runtime.composeSystem({ sessionId: SESSION, model: MODEL, strings });
      sent.push([system, projected]);
    }
    runtime.turns.flush();
    ({ entries } = database.ledger.load(SESSION));
    database.close();
  }
  return { sent, history: history.slice(0, 5), entries };
}

const [, , word = "", file = ""] = process.argv;
if (word === "play") console.log(JSON.stringify(await play(file)));
if (word === "replay") {
  const played: PlayedCall = JSON.parse(readFileSync(file, "utf8"));
  console.log(JSON.stringify(replay(listEdits(played.entries), played.history)));
}
