// Finds the prompts that asked for no reply: the host does not say so, but saves them, and their session
// does not run.

import type { SessionId } from "../../storage/records.ts";
import type { Instance } from "./instance.ts";

/** For this long no prompt of any session may arrive, be saved or begin to run. */
const QUIET_MS = 1_000;
/** A timer that fires this late shows that the process does not keep up. */
const LATE_MS = 250;
/** A process in which something begins every second is not waited for longer than this many times. */
const MAX_WAITS = 30;

/**
 * Records a prompt that was saved in an idle session and does not run. When many prompts come at once,
 * seconds of work can stand between a prompt's saving and its turn, and a process that was killed then
 * would not offer it again. So the wait begins again whenever anything else begins, or the process
 * lags. One that runs after all is promoted then like any other; what was saved in a running turn, or
 * cut off before its first call, asked for a reply: it is offered again.
 */
export async function recordWithoutReply(
  instance: Instance,
  sessionId: SessionId,
  messageId: string,
): Promise<void> {
  const { deps, lifetime, traffic, rows } = instance;
  for (let waits = 1; ; waits += 1) {
    const isCalm = await staysIdle(instance, QUIET_MS);
    if (lifetime.isClosed || !traffic.isQuiet(messageId)) return;
    if (isCalm || waits === MAX_WAITS) break;
  }
  traffic.endsQuiet(messageId);
  if ((await deps.host.activity(sessionId)) === "busy") return;
  const input = rows().find(messageId);
  // A check may have found it saved before.
  if (input?.state !== "handed" && input?.state !== "saved") return;
  rows().settle(input.id, "recorded", deps.now());
}

async function staysIdle({ deps, traffic }: Instance, quietMs: number): Promise<boolean> {
  const { beginnings } = traffic;
  const dueMs = deps.now() + quietMs;
  await new Promise<void>((resolve) => deps.later(resolve, quietMs));
  return traffic.beginnings === beginnings && deps.now() - dueMs <= LATE_MS;
}
