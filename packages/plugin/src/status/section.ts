// Defines a section that a feature adds to a session's status, and finds the entries that take effect.
import type { Driver } from "../storage/driver.ts";
import type { CallOverview, EntryOverview, EpochOverview } from "../storage/overview-records.ts";
import type { SessionId } from "../storage/records.ts";

// Finds the entries that take effect on the history that the host holds.

/** The part of a session's ledger that replay shows. */
export interface ActiveLedger {
  /** The epoch's sequence number; null if none has begun. */
  readonly epochSeq: number | null;
  /** The epoch's entries that take effect. */
  readonly entrySeqs: ReadonlySet<number>;
  /** All messages that the host lists and no undo has hidden. */
  readonly messageIds: ReadonlySet<string>;
}

/** The state of an entry in replay; `unchecked` without the host's history. */
export type EntryState = "standing" | "withdrawn" | "unchecked";

export function resolveEntryState({ seq }: EntryOverview, shown: ActiveLedger | null): EntryState {
  if (!shown) return "unchecked";
  return shown.entrySeqs.has(seq) ? "standing" : "withdrawn";
}

/** Finds the epoch that the session is in; without the host's history, the epoch of the newest call. */
export function findCurrentEpoch(
  epochs: readonly EpochOverview[],
  calls: readonly CallOverview[],
  shown: ActiveLedger | null,
): EpochOverview | null {
  if (shown) return epochs.find(({ seq }) => seq === shown.epochSeq) ?? null;
  const newest = calls[0];
  const called = newest && epochs.find((epoch) => epoch.seq === newest.epochSeq);
  return called ?? epochs.at(-1) ?? null;
}

/** A section of a session's status; like all of the read model, it holds values only. */
export interface StatusSection {
  /** The section's label, in one word. */
  readonly label: string;
  /** The text for the report, in whole lines, each of which the report wraps. */
  readonly text: string;
  /** The text for the panel, in a few words; null if the panel omits the section. */
  readonly short: string | null;
  /** The last action in a word, for the one line that is shown without a panel. */
  readonly mark?: SectionMark;
}

export interface SectionMark {
  readonly word: string;
  readonly atMs: number;
}

/** Reads a section; null if there is nothing to report. `shown` is null without the host's history. */
export type ReadSection = (
  driver: Driver,
) => (sessionId: SessionId, nowMs: number, shown: ActiveLedger | null) => StatusSection | null;
