// What becomes of a session that a process has left in the middle of its work.
import type { SessionId } from "../../storage/records.ts";
import { type Drive, isEmpty, mayResumeUnasked } from "./plan.ts";
import { describeFindings, RESUME_HINT } from "./words.ts";

/** What a recovery asks of the inbox. */
interface RecoveringInbox {
  readonly look: (sessionId: SessionId) => Promise<Drive>;
  readonly resume: (sessionId: SessionId) => Promise<Drive>;
  /** Shown once, and remembered by nobody. */
  readonly tell: (sessionId: SessionId, text: string) => void;
  /** Shown, and kept until work continues. */
  readonly hold: (sessionId: SessionId, text: string) => void;
}

/** Continues the session where it may and nothing speaks against it; else reports what is open. */
export async function recoverSession(
  inbox: RecoveringInbox,
  sessionId: SessionId,
  may: "continue" | "report",
): Promise<void> {
  const looked = await inbox.look(sessionId);
  if (looked.kind !== "looked" || isEmpty(looked.found.findings)) return;
  const { findings } = looked.found;
  const found = describeFindings(findings);
  if (may === "continue" && mayResumeUnasked(findings)) {
    inbox.tell(sessionId, `Continuing after an interruption: ${found}`);
    await inbox.resume(sessionId);
  } else {
    inbox.hold(sessionId, `Interrupted: ${found} ${RESUME_HINT}`);
  }
}
