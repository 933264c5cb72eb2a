// Passes on what a host says of a session: to the runtime, to the rooms and to the jobs.
import type { BilledEvent, SessionEvent } from "../feature-api/feature-hooks.ts";
import type { Instance } from "./instance.ts";

/** Of a call that is billed, also what only the runtime hears. */
export type RuntimeEvent =
  | Exclude<SessionEvent, BilledEvent>
  | (BilledEvent & {
      /** `provider/model` */
      readonly model: string;
      /** As the host has it, in US dollars. */
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
