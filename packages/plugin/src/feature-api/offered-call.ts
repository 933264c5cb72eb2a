// A call's tools, as they are about to be offered, and what is said of ours among them.
import type { SessionId } from "../storage/records.ts";

export interface OfferedCall {
  readonly sessionId: SessionId;
  readonly agent: string;
  readonly providerId: string;
  readonly modelId: string;
  /** The names of our tools. */
  readonly own: readonly string[];
  /** The number of tools beside ours; null where the host doesn't say. */
  readonly others: number | null;
}

/** Names those of ours that the call is left without. */
export type WithheldToolNames = (call: OfferedCall) => readonly string[];
