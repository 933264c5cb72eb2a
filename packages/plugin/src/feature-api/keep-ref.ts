// Declares how a feature that shows a ref's text has it kept in the context.
import type { Ref } from "../ledger/ref.ts";
import type { SessionId } from "../storage/records.ts";

/** Says what came of it, in a sentence. Rejects where host or database can't be asked. */
export type KeepRef = (sessionId: SessionId, ref: Ref) => Promise<string>;

/** Answers where history is never rewritten. */
export const nothingGoes: KeepRef = async () => "Nothing is dropped here, so it need not be kept.";
