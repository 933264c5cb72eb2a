// Passes on what a host says of a session: to the runtime, to the rooms and to the jobs.
import type { Billed, Happening } from "../features/room-hooks.ts";
import type { Instance } from "./instance.ts";

/** Of a call that is billed, also what only the runtime hears. */
export type Said =
  | Exclude<Happening, Billed>
  | (Billed & {
      /** `provider/model` */
      readonly model: string;
      /** As the host has it, in US dollars. */
      readonly paidUsd: number;
    });

export async function hear(
  { runtime, dispatch, runner }: Pick<Instance, "runtime" | "dispatch" | "runner">,
  said: Said,
): Promise<void> {
  const { sessionId } = said;
  switch (said.kind) {
    case "busy":
    case "idle":
      runtime.sawStatus(sessionId, said.kind);
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
  await dispatch("heard", said);
  if (said.kind !== "idle") return;
  await dispatch("settled", sessionId);
  runner?.wake();
}
