// A section of a session's status that a feature brings, from what the database holds.
import type { Driver } from "../storage/driver.ts";
import type { SessionId } from "../storage/records.ts";
import type { ActiveLedger } from "./active-ledger.ts";

/** Values only, as all of the read model. */
export interface StatusSection {
  /** One word. */
  readonly label: string;
  /** For the report, in whole lines; each is wrapped there. */
  readonly text: string;
  /** In a few words, for the panel; null: the panel has nothing of it. */
  readonly short: string | null;
  /** What was done last, in a word, for the one line that is shown without a panel. */
  readonly mark?: SectionMark;
}

export interface SectionMark {
  readonly word: string;
  readonly atMs: number;
}

/** Null where there is nothing to say of the session; `shown` is null without the host's history. */
export type ReadSection = (
  driver: Driver,
) => (sessionId: SessionId, nowMs: number, shown: ActiveLedger | null) => StatusSection | null;
