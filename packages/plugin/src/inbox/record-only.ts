// Which saved prompts asked for no reply: those whose session stays idle in a process that is quiet.
import type { SessionId } from "../storage/records.ts";
import type { InboxDeps } from "./inbox-deps.ts";
import type { Underway } from "./underway.ts";

/** How long no prompt of any session may come, be saved or begin to run. */
const QUIET_MS = 1_000;
/** A timer that fires this late shows that the process does not keep up. */
const LATE_MS = 250;
/** A process in which something begins every second is not waited for longer than this many times. */
const MOST_LOOKS = 30;

/**
 * The host does not say which prompts want no reply: these are saved, and their session does not run.
 * When many prompts come at once, though, seconds of work can stand between a prompt's saving and its
 * turn, and a process that was killed then would not offer it again. So the wait begins again
 * whenever anything else begins, or the process falls behind.
 */
export class RecordOnly {
  constructor(
    private readonly deps: InboxDeps,
    private readonly underway: Underway,
  ) {}

  saved(sessionId: SessionId, messageId: string): void {
    this.underway.saved(sessionId, messageId);
    this.#lookLater(sessionId, messageId, MOST_LOOKS);
  }

  #lookLater(sessionId: SessionId, messageId: string, looks: number): void {
    const { now, later } = this.deps;
    const { beginnings } = this.underway;
    const dueMs = now() + QUIET_MS;
    later(() => {
      if (!this.underway.isQuiet(sessionId, messageId)) return;
      const isStirred = this.underway.beginnings !== beginnings || now() - dueMs > LATE_MS;
      if (isStirred && looks > 1) this.#lookLater(sessionId, messageId, looks - 1);
      else void this.#recordUnlessRun(sessionId, messageId);
    }, QUIET_MS);
  }

  /**
   * One that runs after all is promoted then like any other. What was saved in a running turn, or cut
   * off before its first call, is no such prompt: it is offered again.
   */
  async #recordUnlessRun(sessionId: SessionId, messageId: string): Promise<void> {
    if (!this.underway.takeQuiet(sessionId, messageId)) return;
    try {
      if ((await this.deps.host.activity(sessionId)) === "busy") return;
      const { inbox } = this.deps.database();
      const input = inbox.find(messageId);
      // A look at the session may have come before, and found it saved.
      const isOpen = input?.state === "handed" || input?.state === "saved";
      if (isOpen) inbox.settle(input.id, "recorded", this.deps.now());
    } catch (error) {
      this.deps.failed("inbox", error);
    }
  }
}
