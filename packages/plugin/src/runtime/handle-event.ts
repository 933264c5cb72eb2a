// Passes a host's session events on to the runtime, the features and the jobs.
import type { BilledEvent, SessionEvent } from "../feature-api/feature-hooks.ts";
import type { Instance } from "./instance.ts";

/** Adds to the features' events what only the runtime needs of a billed call. */
export type RuntimeEvent =
  | Exclude<SessionEvent, BilledEvent>
  | (BilledEvent & {
      /** The model as `provider/model`. */
      readonly model: string;
      /** The host's price in US dollars. */
      readonly paidUsd: number;
    });

export async function handleEvent(
  { runtime, dispatch, runner }: Pick<Instance, "runtime" | "dispatch" | "runner">,
  said: RuntimeEvent,
): Promise<void> {
  const { sessionId } = said;
  switch (said.kind) {
    case "busy":
    case "idle":
      runtime.setStatus(sessionId, said.kind);
      break;
    case "deleted":
      runtime.removeSession(sessionId);
      break;
    case "billed":
      runtime.turns.settle(said);
      break;
    case "refused":
      runner?.pause(0);
      break;
    case "compacted":
    case "saved":
    case "touched":
    case "removed":
      break;
  }
  await dispatch("onEvent", said);
  if (said.kind !== "idle") return;
  await dispatch("settled", sessionId);
  runner?.wake();
}
