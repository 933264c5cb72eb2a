// One look per session at a time: wakes and asks during one lead to the next, and none is forgotten.
import type { SessionId } from "../../storage/records.ts";
import type { CheckCause, Outcome, SendPermission } from "./plan.ts";

/** Looks at a session, and does what that leads to. Never rejects; null: nothing came of it. */
type CheckFn = (
  sessionId: SessionId,
  cause: CheckCause,
  leave: () => SendPermission,
) => Promise<Outcome | null>;

/** A look that callers wait for. */
interface CheckRequest {
  readonly cause: CheckCause;
  readonly drive: Promise<Outcome>;
  readonly answer: (drive: Outcome) => void;
}

/** The looks at one session that is being looked at. */
interface CheckQueue {
  /** Those that are asked for and have not begun, oldest first. */
  asks: CheckRequest[];
  /** Whether one more look is due after this one. */
  due: "none" | "one";
  leave: SendPermission;
  /** The end of the look that is going on. */
  end: Promise<void>;
}

const NOTHING: Outcome = { kind: "nothing" };

export class CheckScheduler {
  readonly #lines = new Map<SessionId, CheckQueue>();

  constructor(private readonly lookAt: CheckFn) {}

  /** Asks for a look: at once where none is going on; wakes during one are one more look together. */
  wake(sessionId: SessionId): void {
    const line = this.#lines.get(sessionId);
    if (line) line.due = "one";
    else this.#begin(sessionId, []);
  }

  /** Joins one that is asked for already and has not begun: what has begun may not see what is new. */
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
   * Stops the look that is going on, and waits for its end. What was asked for before is dropped,
   * what is asked for meanwhile is looked for afterwards.
   */
  async interrupt(sessionId: SessionId): Promise<void> {
    this.drop(sessionId);
    const line = this.#lines.get(sessionId);
    if (!line) return;
    line.due = "none";
    line.leave = "stopped";
    await line.end;
  }

  /** Nothing comes of what was asked for until now. */
  drop(sessionId: SessionId): void {
    for (const { answer } of this.#lines.get(sessionId)?.asks.splice(0) ?? []) answer(NOTHING);
  }

  #begin(sessionId: SessionId, asks: CheckRequest[]): void {
    const line: CheckQueue = { asks, due: "none", leave: "given", end: Promise.resolve() };
    this.#lines.set(sessionId, line);
    void this.#run(sessionId, line);
  }

  async #run(sessionId: SessionId, line: CheckQueue): Promise<void> {
    do {
      line.end = this.#next(sessionId, line);
      await line.end;
    } while (line.due === "one" || line.asks.length > 0);
    this.#lines.delete(sessionId);
  }

  async #next(sessionId: SessionId, line: CheckQueue): Promise<void> {
    line.due = "none";
    line.leave = "given";
    const ask = line.asks.shift();
    const drive = await this.lookAt(sessionId, ask?.cause ?? "settled", () => line.leave);
    ask?.answer(drive ?? NOTHING);
  }
}
