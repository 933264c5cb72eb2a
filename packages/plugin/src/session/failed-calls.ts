// Bounds the texts of failed calls, which no hook can bound.
import { type FailedCall, failedCalls, failureText } from "../ledger/bound-failures.ts";
import type { HostMessage } from "../ledger/message.ts";
import type { SessionState } from "./session-state.ts";

/** Shortens a failed call's text and stores the whole in a file; null if it is within the limit. */
export type BoundFailure = (
  call: { readonly tool: string; readonly callId: string },
  text: string,
) => Promise<string> | null;

/**
 * Maps part ids to the bounded texts of the failed calls in these messages. One that was bounded before keeps
 * its text: in a former epoch, or at a boundary whose commit failed.
 */
export async function boundedFailures(
  bound: BoundFailure,
  memory: SessionState,
  messages: readonly HostMessage[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const { parts } of messages) {
    for (const call of failedCalls(parts)) {
      const text = storedText(memory, call) ?? memory.boundedFailures.get(call.id);
      const made =
        text ?? (await bound({ tool: call.tool, callId: call.callID }, failureText(call)));
      if (made === null) continue;
      memory.boundedFailures.set(call.id, made);
      texts.set(call.id, made);
    }
  }
  return texts;
}

function storedText({ ledger }: SessionState, { id }: FailedCall): string | null {
  const entry = ledger.entries.findLast(
    ({ partId, edit }) => partId === id && edit?.verb === "replace",
  );
  return entry?.edit?.verb === "replace" ? entry.edit.text : null;
}
