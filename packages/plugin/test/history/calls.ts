import { collectResults, type Result } from "../../src/history/results.ts";
import type { HostMessage, HostPart } from "../../src/ledger/message.ts";
import type { LoosePart } from "../ledger/history.ts";

/** A call that is over, by its tool and arguments. */
export function called(
  name: string,
  input: object,
  output = "output",
  metadata: object = {},
): LoosePart {
  const time = { start: 1, end: 2 };
  const state = { status: "completed", input, output, metadata, time };
  return { type: "tool", tool: name, callID: "c", state } as unknown as LoosePart;
}

export function failedCall(name: string, input: object, error = "it failed"): LoosePart {
  const state = { status: "error", input, error };
  return { type: "tool", tool: name, callID: "c", state } as unknown as LoosePart;
}

/** One answer per call, each with an id of its own: `m0`, `m1`, … and parts `m0.0`, … */
export function answers(...calls: readonly LoosePart[]): readonly HostMessage[] {
  return calls.map((part, index) => {
    const id = `m${index}`;
    const placed = { id: `${id}.0`, messageID: id, sessionID: "ses", ...part } as HostPart;
    return { info: { id, sessionID: "ses", role: "assistant" }, parts: [placed] };
  });
}

export function createResults(...calls: readonly LoosePart[]): readonly Result[] {
  return collectResults(answers(...calls));
}
