// Stops the running turn and waits until it has ended.

import type { InterruptResult } from "../../feature-api/inbox-service.ts";
import type { SessionId } from "../../storage/records.ts";
import type { InboxDeps } from "./inbox-deps.ts";

/** The time that a turn has to begin, or to clean up. */
const PATIENCE_MS = 10_000;
const POLL_MS = 50;

type StopDeps = Pick<InboxDeps, "host" | "later">;

/**
 * Stops the turn that runs, and waits until it has; an idle session is left as it is. What
 * `mayBegin` says is about to run is waited for: stopped before, it would begin all the same.
 */
export async function stopTurn(
  deps: StopDeps,
  sessionId: SessionId,
  mayBegin: () => boolean,
): Promise<InterruptResult> {
  if (!(await waitForActivity("busy", deps, sessionId, mayBegin))) return "idle";
  await deps.host.abort(sessionId);
  return (await waitForActivity("idle", deps, sessionId, () => true)) ? "stopped" : "lingers";
}

async function waitForActivity(
  wanted: "busy" | "idle",
  { host, later }: StopDeps,
  sessionId: SessionId,
  mayStill: () => boolean,
): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += POLL_MS) {
    if ((await host.activity(sessionId)) === wanted) return true;
    if (!mayStill()) return false;
    await new Promise<void>((resolve) => later(resolve, POLL_MS));
  }
  return false;
}
