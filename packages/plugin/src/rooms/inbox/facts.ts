// What a look reads of a session: rows, lease, host; nothing is decided here.

import type { HistoryMessage, HistoryPart, InboxHost } from "../../features/prompt-host.ts";
import type { SessionId } from "../../storage/records.ts";
import type { Facts, Settings } from "./happenings.ts";
import type { InboxDeps } from "./inbox-deps.ts";
import type { InputRecord } from "./records.ts";
import { holdsAll, isUnseen, isWhole, readHistory, standingOf } from "./standing.ts";
import type { InboxStore } from "./store.ts";

interface FactsDeps extends Pick<InboxDeps, "database" | "host" | "ids"> {
  /** Takes or renews the session's lease; `none`: another process has it. */
  readonly acquire: () => "held" | "none";
}

/** Gives what reads the rows last: whoever calls it decides before anything else can happen. */
export async function readFacts(deps: FactsDeps, sessionId: SessionId): Promise<() => Facts> {
  const { host, ids } = deps;
  const { inbox } = deps.database();
  const working = inbox.working(sessionId);
  const [head = null] = inbox.waiting(sessionId, 0, 1);
  if (working.length === 0 && !head) return () => ({ kind: "nothing" });
  if (deps.acquire() === "none") return () => ({ kind: "elsewhere" });
  const session = await host.session(sessionId);
  if (!session || (await host.activity(sessionId)) === "busy") return () => ({ kind: "busy" });
  const history = await historyWith(host, sessionId, working);
  return () => {
    const reading = readHistory(history);
    return {
      kind: "found",
      revert: session.revert,
      turn: { end: reading.end, openTools: reading.openTools },
      working: working.map((input) => {
        const prompt = isUnseen(input) ? inbox.prompt(input.id) : null;
        return { input, standing: standingOf(input, prompt, reading) };
      }),
      head,
      waiting: inbox.countWaiting(sessionId),
      since: holdsMore(inbox, sessionId, [...working, head]) ? "a prompt" : "nothing",
      newest: newestSettings(history),
      freshIds: [...working, head].map(() => ids.message()),
    };
  };
}

function holdsMore(
  inbox: InboxStore,
  sessionId: SessionId,
  known: readonly (InputRecord | null)[],
): boolean {
  const ids = new Set(known.map((input) => input?.id));
  const open = [...inbox.working(sessionId), ...inbox.waiting(sessionId, 0, 1)];
  return open.some(({ id }) => !ids.has(id));
}

const FIRST_WINDOW = 30;

/** The newest part of the history that holds all of these inputs, or else all of it. */
async function historyWith(
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

/** Parts of a prompt that came to this process: as we left them, and the host's own list of them. */
export interface LiveParts {
  readonly ids: readonly string[];
  /** Other plugins may change it after us. */
  readonly live: readonly Readonly<Record<string, unknown>>[];
}

export function idsOf(parts: LiveParts["live"]): readonly string[] {
  return parts.map(({ id }) => String(id));
}

/** What came to this process is known in memory: a boundary asks the store for the others only. */
export function standsWhole(
  { database }: Pick<InboxDeps, "database">,
  messageId: string,
  parts: readonly HistoryPart[],
  saving: LiveParts | undefined,
): boolean {
  if (saving) return holdsAll(parts, idsOf(saving.live));
  const { inbox } = database();
  const input = inbox.find(messageId);
  const prompt = input && inbox.prompt(input.id);
  return prompt === null || isWhole(parts, prompt);
}
