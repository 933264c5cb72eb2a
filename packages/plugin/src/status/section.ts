// Defines a section that a feature adds to a session's status, from what the database holds.
import type { Driver } from "../storage/driver.ts";
import type { SessionId } from "../storage/records.ts";
import type { ActiveLedger } from "./active-ledger.ts";

/** A section holds values only, as all of the read model. */
export interface StatusSection {
  /** One word. */
  readonly label: string;
  /** The text for the report, in whole lines; each is wrapped there. */
  readonly text: string;
  /** The text for the panel, in a few words; null: the panel omits it. */
  readonly short: string | null;
  /** The last action in a word, for the one line that is shown without a panel. */
  readonly mark?: SectionMark;
}

export interface SectionMark {
  readonly word: string;
  readonly atMs: number;
}

/** Reads a section; null where there is nothing to report. `shown` is null without the host's history. */
export type ReadSection = (
  driver: Driver,
) => (sessionId: SessionId, nowMs: number, shown: ActiveLedger | null) => StatusSection | null;
