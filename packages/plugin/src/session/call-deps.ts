// Holds what a location's calls are decided and sent with: settings, dependencies, reports of decisions.
import type { ObservedContext } from "../context/system-context.ts";
import { type FailedCall, readFailureText, selectFailedCalls } from "../ledger/bound-failures.ts";
import type { BoundaryDecision, BoundaryInputs, Entry } from "../ledger/entry.ts";
import type { HostMessage } from "../ledger/message.ts";
import type { FindSightings, Policy } from "../ledger/policy.ts";
import type { CallSpace, IsOutdated } from "../ledger/space.ts";
import type { FileCache } from "../sources/file-cache.ts";
import type { RuntimeDatabase } from "../storage/database.ts";
import type { EntryRecord } from "../storage/ledger-table.ts";
import type { Location, SessionId } from "../storage/records.ts";
import type { SessionState, SessionStates } from "./session-state.ts";

// Holds what the configuration sets for a Location's sessions, and when a pause outlasts the cache.

export interface RuntimeSettings {
  /** The time for which a provider keeps what it was sent. */
  readonly cacheTtlMs: number;
  readonly sourceTimeoutMs: number;
  readonly onModelSwitch: "keep" | "fold";
  readonly split: "auto" | "never";
  /**
   * `host`: the host freezes its system prompt and announces its changes itself, and a Baseline has only our
   * own sources.
   */
  readonly system: "ours" | "host";
}

/** Returns the pause if it outlasted the provider's cache; null if the cache may still be warm. */
export function toColdPauseMs(
  { cacheTtlMs }: Pick<RuntimeSettings, "cacheTtlMs">,
  pauseMs: number,
): number | null {
  return pauseMs > cacheTtlMs ? pauseMs : null;
}

// Reports what a boundary has put on record to the features that account for it.

/** Receives what was stored, before it is sent. Never throws. */
type DecisionListener = (sessionId: SessionId, decided: BoundaryDecision) => void;

interface StoredDecision {
  readonly epochSeq: number;
  readonly atMs: number;
  /** All entries that the commit has stored; in a new epoch they include those that were carried over. */
  readonly entries: readonly EntryRecord[];
}

/** Returns the part of a decision that is new; null if all of it was carried over from the epoch before. */
export function toDecisionEvent(
  { epochSeq, atMs, entries }: StoredDecision,
  /** The entries that replay showed before this decision. */
  former: readonly Entry[],
): Omit<BoundaryDecision, keyof BoundaryInputs> | null {
  const isSameEpoch = former.some((entry) => "epochSeq" in entry && entry.epochSeq === epochSeq);
  const fresh = dropCarriedEntries(entries, former);
  if (fresh.length === 0) return null;
  const standing = isSameEpoch ? [...former, ...entries] : entries;
  return { epochSeq, atMs, entries: fresh, standing };
}

/** Drops entries that were carried over: their edits are the same in the new epoch. */
function dropCarriedEntries(
  entries: readonly EntryRecord[],
  former: readonly Entry[],
): readonly EntryRecord[] {
  const carried = new Set(former.flatMap(({ edit }) => (edit ? [JSON.stringify(edit)] : [])));
  return entries.filter(({ edit }) => edit === null || !carried.has(JSON.stringify(edit)));
}

// Bounds the texts of failed calls, which no hook can bound.

/**
 * Shortens a failed call's text and stores the whole text in a file; null if the text is within the limit.
 */
export type BoundFailure = (
  call: { readonly tool: string; readonly callId: string },
  text: string,
) => Promise<string> | null;

/**
 * Maps part ids to the bounded texts of the failed calls in these messages. A call that was bounded before,
 * in a former epoch or at a boundary whose commit failed, keeps its text.
 */
export async function collectBoundedTexts(
  bound: BoundFailure,
  memory: SessionState,
  messages: readonly HostMessage[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const { parts } of messages) {
    for (const call of selectFailedCalls(parts)) {
      const text = findStoredText(memory, call) ?? memory.boundedFailures.get(call.id);
      const made =
        text ?? (await bound({ tool: call.tool, callId: call.callID }, readFailureText(call)));
      if (made === null) continue;
      memory.boundedFailures.set(call.id, made);
      texts.set(call.id, made);
    }
  }
  return texts;
}

function findStoredText({ ledger }: SessionState, { id }: FailedCall): string | null {
  const entry = ledger.entries.findLast(
    ({ partId, edit }) => partId === id && edit?.verb === "replace",
  );
  return entry?.edit?.verb === "replace" ? entry.edit.text : null;
}

export interface CallDeps {
  readonly memories: SessionStates;
  /** Returns the open database. @throws StorageError while there is none. */
  readonly database: () => RuntimeDatabase;
  readonly location: Location;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
  readonly settings: RuntimeSettings;
  readonly hostPrune: () => "on" | "off";
  /** Lists the policies in the order of the ledger. */
  readonly policies: () => readonly Policy[];
  /** Lists the functions of features that find sightings; nested instructions are recognised in any case. */
  readonly witnesses: () => readonly FindSightings[];
  /** Measures how much space the call has that is about to be sent. */
  readonly measureSpace: (call: SpaceQuery) => CallSpace | Promise<CallSpace>;
  /** Returns our own tools that the call is not offered. */
  readonly withheld: (call: ToolQuery) => WithheldNames | Promise<WithheldNames>;
  readonly files: FileCache;
  readonly boundFailure: BoundFailure;
  /** Receives what each boundary observed, for status and diagnosis. */
  readonly observed: (sessionId: SessionId, observed: ObservedContext) => void;
  readonly decided: DecisionListener;
  /** Is called when something could not be stored or read; the turn goes on without it. */
  readonly storageFailed: (error: unknown) => void;
}

/** The facts by which a call's space is measured. */
interface SpaceQuery {
  readonly sessionId: SessionId;
  readonly providerId: string;
  readonly modelId: string;
  /** The messages as they would be sent if nothing were decided. */
  readonly projected: readonly HostMessage[];
  readonly isOutdated: IsOutdated;
}

/** The names of tools; null if they are unknown. */
type WithheldNames = ReadonlySet<string> | null;

/** The facts by which the host decides which tools it offers to a call. */
export interface ToolQuery {
  readonly sessionId: SessionId;
  readonly agent: string;
  readonly providerId: string;
  readonly modelId: string;
  readonly messages: readonly HostMessage[];
  /**
   * The names of all tools of the call, if the host reports them before the call is decided; otherwise null.
   */
  readonly offered: ReadonlySet<string> | null;
}
