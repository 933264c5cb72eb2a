// Plans what to remove by age and size, and what to keep. Pure.
// Folder: Removes old sessions.
import type { SessionId } from "@session-runtime/opencode/storage/records";
import type { SessionListing } from "@session-runtime/opencode/storage/session-list";

/** Says why a session is removed. */
export type Reason = "old" | "large";
/** Says why a session is kept that would otherwise be removed. */
export type Hindrance = "open" | "waiting" | "recent";

export interface PrunePlan {
  /** The sessions to remove, least recently active first. */
  readonly goes: readonly Candidate<Reason>[];
  readonly kept: readonly Candidate<Hindrance>[];
  /** The approximate size of the file, before and after. */
  readonly beforeBytes: number;
  readonly afterBytes: number;
}

export interface Candidate<Why> {
  readonly sessionId: SessionId;
  readonly activeAtMs: number;
  readonly directory: string | null;
  readonly calls: number;
  readonly bytes: number;
  readonly why: Why;
}

export interface PruneRules {
  readonly nowMs: number;
  /** The longest time without activity; null where age doesn't matter. */
  readonly olderThanMs: number | null;
  /** The size limit of the file; null where there is none. */
  readonly largestBytes: number | null;
}

export interface PruneInput {
  /** Most recently active first. */
  readonly sessions: readonly SessionListing[];
  readonly sizes: ReadonlyMap<SessionId, number>;
  readonly fileBytes: number;
  /** Sessions that a process has open. */
  readonly open: ReadonlySet<SessionId>;
}

/** The size of a database without a session: its tables and indexes take at least a page each. */
export const EMPTY_BYTES = 110_592;

/** Keeps sessions of the last hour, because a session between two calls holds no lease. */
const RECENT_MS = 60 * 60_000;

/** Lists what the rules would remove. Pure. */
export function planPrune(input: PruneInput, rules: PruneRules): PrunePlan {
  const { sessions, sizes, fileBytes } = input;
  const measured = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
  // Free space and indexes belong to no session, so they are counted by shares.
  const share = measured === 0 ? 0 : Math.max(0, fileBytes - EMPTY_BYTES) / measured;
  const oldestFirst = sessions.toReversed();
  const goes: Candidate<Reason>[] = [];
  const kept: Candidate<Hindrance>[] = [];
  let afterBytes = fileBytes;
  for (const session of oldestFirst) {
    const why = reasonFor(session, rules, afterBytes);
    if (why === null) continue;
    const hindrance = findHindrance(session, input, rules);
    if (hindrance !== null) {
      kept.push(candidate(session, input, hindrance));
      continue;
    }
    const gone = candidate(session, input, why);
    goes.push(gone);
    afterBytes -= gone.bytes * share;
  }
  return { goes, kept, beforeBytes: fileBytes, afterBytes: Math.max(0, Math.round(afterBytes)) };
}

function reasonFor(
  { activeAtMs }: SessionListing,
  { nowMs, olderThanMs, largestBytes }: PruneRules,
  bytes: number,
): Reason | null {
  if (olderThanMs !== null && nowMs - activeAtMs > olderThanMs) return "old";
  if (largestBytes !== null && bytes > largestBytes) return "large";
  return null;
}

function findHindrance(
  { sessionId, activeAtMs, waiting }: SessionListing,
  { open }: PruneInput,
  { nowMs }: PruneRules,
): Hindrance | null {
  if (open.has(sessionId)) return "open";
  if (waiting > 0) return "waiting";
  return nowMs - activeAtMs < RECENT_MS ? "recent" : null;
}

function candidate<Why>(
  { sessionId, activeAtMs, directory, calls }: SessionListing,
  { sizes }: PruneInput,
  why: Why,
): Candidate<Why> {
  return { sessionId, activeAtMs, directory, calls, bytes: sizes.get(sessionId) ?? 0, why };
}
