// Computes what is sent, and which edits are dormant: `replay(edits, hostMessages)`.
// Folder: What is sent and what should change: edits, `replay(edits, hostMessages)`, and the policies that draft
// edits at a boundary; pure.
import type { Dormancy } from "./dormancy.ts";
import type { LedgerEdit } from "./edit.ts";
import { planEdits } from "./edit-plan.ts";
import type { HostMessage } from "./message.ts";
import { send } from "./send.ts";

/** The messages that are sent, and why some edits take no effect (by their seq). */
export interface Projection {
  readonly messages: readonly HostMessage[];
  readonly dormant: ReadonlyMap<number, Dormancy>;
}

/**
 * Applies the edits, given in ledger order, to the host's messages. Total and pure: an edit without its place is
 * dormant. Nothing passed in is changed; a message that no edit alters passes by reference, and so does the
 * array if none is altered.
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

/** Returns the messages that are sent. */
export function replay(
  edits: readonly LedgerEdit[],
  messages: readonly HostMessage[],
): readonly HostMessage[] {
  return project(edits, messages).messages;
}
