// `replay(edits, hostMessages)`: what is sent, and which edits are dormant.
// Folder: What is sent and what should change: edits, `replay(edits, hostMessages)`, and the policies that draft
// edits at a boundary; pure.
import type { Dormancy } from "./dormancy.ts";
import type { LedgerEdit } from "./edit.ts";
import { planEdits } from "./edit-plan.ts";
import type { HostMessage } from "./message.ts";
import { send } from "./send.ts";

/** What is sent, and why some of the edits have no part in it (by their seq). */
export interface Projection {
  readonly messages: readonly HostMessage[];
  readonly dormant: ReadonlyMap<number, Dormancy>;
}

/**
 * The host's messages with the edits, given in the order of the ledger. Total and pure: an edit
 * without its place is dormant. Nothing given is changed; a message that no edit alters passes by
 * reference, and so does the array if that is all of them.
 */
export function project(
  edits: readonly LedgerEdit[],
  messages: readonly HostMessage[],
): Projection {
  const dormant = new Map<number, Dormancy>();
  const report = (seq: number, why: Dormancy) => dormant.set(seq, why);
  const plan = planEdits(edits, messages, report);
  if (plan.folds.length + plan.touched.size === 0) return { messages, dormant };
  return { messages: send(plan, messages, report), dormant };
}

/** The messages that are sent. */
export function replay(
  edits: readonly LedgerEdit[],
  messages: readonly HostMessage[],
): readonly HostMessage[] {
  return project(edits, messages).messages;
}
