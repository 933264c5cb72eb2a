// Runs one check per session at a time. Wakes and requests during a check lead to another check; none is lost.
import type { SessionId } from "../../storage/records.ts";
import type { Instance } from "./instance.ts";
import {
  type CheckCause,
  isEmpty,
  mayResumeUnasked,
  type Outcome,
  type SendPermission,
} from "./plan.ts";
import { describeFindings, RESUME_HINT } from "./words.ts";

/**
 * Checks a session and takes the step that follows. Never rejects; returns null if the check was stopped or
 * failed.
 */
type CheckFn = (
  sessionId: SessionId,
  cause: CheckCause,
  leave: () => SendPermission,
) => Promise<Outcome | null>;

/** A check that callers wait for. */
interface CheckRequest {
  readonly cause: CheckCause;
  readonly drive: Promise<Outcome>;
  readonly answer: (drive: Outcome) => void;
}

/** The queued checks of a session that has a check running. */
interface CheckQueue {
  /** Holds the requests that have not begun, oldest first. */
  asks: CheckRequest[];
  /** `one` if another check must follow the running check. */
  due: "none" | "one";
  leave: SendPermission;
  /** Settles when the running check has ended. */
  end: Promise<void>;
}

const NOTHING_OUTCOME: Outcome = { kind: "nothing" };

export class CheckScheduler {
  readonly #lines = new Map<SessionId, CheckQueue>();

  constructor(private readonly lookAt: CheckFn) {}

  /** Starts a check if none is running. All wakes during a check are answered by one more check. */
  wake(sessionId: SessionId): void {
    const line = this.#lines.get(sessionId);
    if (line) line.due = "one";
    else this.#begin(sessionId, []);
  }

  /** Joins a request only if its check has not begun, because a running check may miss what is new. */
  ask(sessionId: SessionId, cause: CheckCause): Promise<Outcome> {
    const line = this.#lines.get(sessionId);
    const joined = line?.asks.find((ask) => ask.cause === cause);
    if (joined) return joined.drive;
    const { promise: drive, resolve: answer } = Promise.withResolvers<Outcome>();
    if (line) line.asks.push({ cause, drive, answer });
    else this.#begin(sessionId, [{ cause, drive, answer }]);
    return drive;
  }

  /**
   * Stops the running check and waits for its end. Earlier requests are dropped; requests made in the
   * meantime are checked afterwards.
   */
  async interrupt(sessionId: SessionId): Promise<void> {
    this.drop(sessionId);
    const line = this.#lines.get(sessionId);
    if (!line) return;
    line.due = "none";
    line.leave = "stopped";
    await line.end;
  }

  /** Drops the requests made so far, each of which is answered with `nothing`. */
  drop(sessionId: SessionId): void {
    for (const { answer } of this.#lines.get(sessionId)?.asks.splice(0) ?? [])
      answer(NOTHING_OUTCOME);
  }

  #begin(sessionId: SessionId, asks: CheckRequest[]): void {
    const line: CheckQueue = { asks, due: "none", leave: "given", end: Promise.resolve() };
    this.#lines.set(sessionId, line);
    void this.#run(sessionId, line);
  }

  async #run(sessionId: SessionId, line: CheckQueue): Promise<void> {
    do {
      line.end = this.#runNext(sessionId, line);
      await line.end;
    } while (line.due === "one" || line.asks.length > 0);
    this.#lines.delete(sessionId);
  }

  async #runNext(sessionId: SessionId, line: CheckQueue): Promise<void> {
    line.due = "none";
    line.leave = "given";
    const ask = line.asks.shift();
    const drive = await this.lookAt(sessionId, ask?.cause ?? "settled", () => line.leave);
    ask?.answer(drive ?? NOTHING_OUTCOME);
  }
}

// Recovers sessions that a process has left in the middle of their work.

/** The most interrupted sessions that are checked when the host starts. */
const MAX_RECOVERED_SESSIONS = 50;

/** Runs when the host starts: finds what was left before `byMs`, reports it, and continues if allowed. */
export async function recoverSessions(
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

/** Continues the session if that is allowed and nothing speaks against it; otherwise reports what is open. */
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
