// Recovers sessions that a process left in the middle of their work.
import type { SessionId } from "../../storage/records.ts";
import type { CheckScheduler } from "./check-scheduler.ts";
import type { Instance } from "./instance.ts";
import { isEmpty, mayResumeUnasked } from "./plan.ts";
import { describeFindings, RESUME_HINT } from "./words.ts";

/** At most this many interrupted sessions are checked when the host starts. */
const MAX_RECOVERED_SESSIONS = 50;

/** Runs when the host starts: finds what was left before `byMs`, reports it, and continues where it may. */
export async function recover(
  instance: Instance,
  looks: CheckScheduler,
  byMs: number,
): Promise<void> {
  const { deps, lifetime, rows } = instance;
  if (deps.recovery === "off" || lifetime.isClosed) return;
  await lifetime.ensure();
  for (const sessionId of rows().openSessions(deps.directory, byMs, MAX_RECOVERED_SESSIONS)) {
    await recoverSession(instance, looks, sessionId, deps.recovery);
  }
}

/** Continues the session where it may and nothing speaks against it; else reports what is open. */
export async function recoverSession(
  { deps, lifetime, holds }: Instance,
  looks: CheckScheduler,
  sessionId: SessionId,
  may: "auto" | "ask",
): Promise<void> {
  await lifetime.ensure();
  const looked = await looks.ask(sessionId, "look");
  if (looked.kind !== "rest" || isEmpty(looked.found)) return;
  const found = describeFindings(looked.found);
  if (may === "ask" || !mayResumeUnasked(looked.found)) {
    holds.show(sessionId, `Interrupted: ${found} ${RESUME_HINT}`);
    return;
  }
  deps.notify(sessionId, `Continuing after an interruption: ${found}`);
  await lifetime.ensure();
  await looks.ask(sessionId, "resume");
}
