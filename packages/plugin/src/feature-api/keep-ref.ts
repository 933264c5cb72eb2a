// How a room that shows what a ref names has it kept.
import type { Ref } from "../ledger/ref.ts";
import type { SessionId } from "../storage/records.ts";

/** Says what came of it, in a sentence. Rejects where host or database can't be asked. */
export type KeepRef = (sessionId: SessionId, ref: Ref) => Promise<string>;

/** Where history is never rewritten. */
export const nothingGoes: KeepRef = async () =>
  "Nothing leaves your context here: it need not be kept.";
