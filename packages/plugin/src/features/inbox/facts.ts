// Reads a session's rows and asks the host for what a check needs; decides nothing.

import type { HistoryMessage, InboxHost } from "../../feature-api/prompt-host.ts";
import type { SessionId } from "../../storage/records.ts";
import type { InboxDeps } from "./inbox-deps.ts";
import type { Facts, Settings } from "./plan.ts";
import { isUnseen, promptStatus, readHistory } from "./prompt-status.ts";
import type { InputRecord } from "./records.ts";
import type { InboxStore } from "./store.ts";

/** The rows that a check of a session begins with. */
export interface OpenRows {
  readonly working: readonly InputRecord[];
  readonly head: InputRecord | null;
}

export function openRows(rows: InboxStore, sessionId: SessionId): OpenRows {
  const [head = null] = rows.waiting(sessionId, 0, 1);
  return { working: rows.working(sessionId), head };
}

/** The host's side of a session that rests. */
interface SettledSession extends Pick<Facts, "revert"> {
  readonly history: readonly HistoryMessage[];
}

/** Returns null when the session runs, or no longer exists. */
export async function askHost(
  host: Pick<InboxHost, "session" | "activity" | "history">,
  sessionId: SessionId,
  { working }: OpenRows,
): Promise<SettledSession | null> {
  const session = await host.session(sessionId);
  if (!session || (await host.activity(sessionId)) === "busy") return null;
  return { revert: session.revert, history: await loadHistory(host, sessionId, working) };
}

/** Reads the rows last: whoever calls it decides before anything else can happen. */
export function gatherFacts(
  { rows, ids }: { readonly rows: InboxStore; readonly ids: Pick<InboxDeps["ids"], "message"> },
  sessionId: SessionId,
  { working, head }: OpenRows,
  { revert, history }: SettledSession,
): Facts {
  const reading = readHistory(history);
  const known = [...working, head];
  return {
    revert,
    turn: { end: reading.end, openTools: reading.openTools },
    working: working.map((input) => {
      const prompt = isUnseen(input) ? rows.prompt(input.id) : null;
      return { input, standing: promptStatus(input, prompt, reading) };
    }),
    head,
    waiting: rows.countWaiting(sessionId),
    since: holdsMore(openRows(rows, sessionId), known) ? "a prompt" : "nothing",
    newest: newestSettings(history),
    freshIds: known.map(() => ids.message()),
  };
}

function holdsMore({ working, head }: OpenRows, known: readonly (InputRecord | null)[]): boolean {
  const ids = new Set(known.map((input) => input?.id));
  return [...working, head].some((input) => input !== null && !ids.has(input.id));
}

const FIRST_WINDOW = 30;

/** The newest part of the history that holds all of these inputs, or else all of it. */
async function loadHistory(
  host: Pick<InboxHost, "history">,
  sessionId: SessionId,
  working: readonly InputRecord[],
): Promise<readonly HistoryMessage[]> {
  for (let count = FIRST_WINDOW; ; count *= 8) {
    const messages = await host.history(sessionId, count);
    if (messages.length < count) return messages;
    const ids = new Set(messages.map(({ info }) => info.id));
    if (working.every(({ messageId }) => messageId !== null && ids.has(messageId))) return messages;
  }
}

function newestSettings(history: readonly HistoryMessage[]): Settings {
  const newest = history.findLast(({ info }) => info.role === "user")?.info;
  const { providerID, modelID, variant = null } = newest?.model ?? {};
  const model = providerID !== undefined && modelID !== undefined ? { providerID, modelID } : null;
  return { agent: newest?.agent ?? null, model, variant };
}
