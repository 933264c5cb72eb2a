// A section of a session's status that a feature brings, from what the database holds.
import type { Driver } from "../storage/driver.ts";
import type { SessionId } from "../storage/records.ts";

/** Values only, as all of the read model. */
export interface StatusSection {
  /** One word. */
  readonly label: string;
  /** For the report; it is wrapped there. */
  readonly text: string;
  /** In a few words, for the panel; null: the panel has nothing of it. */
  readonly short: string | null;
}

/** Null where there is nothing to say of the session. */
export type ReadSection = (
  driver: Driver,
) => (sessionId: SessionId, nowMs: number) => StatusSection | null;
