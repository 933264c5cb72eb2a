// Keeps this machine's copy in step with the team's server, in the background.
import { toFaultFields } from "../../log/fault.ts";
import type { Log } from "../../log/log.ts";
import type { Notices } from "../../log/notices.ts";
import { formatCount } from "../../status/wording.ts";
import { StorageError } from "../../storage/errors.ts";
import { describeProblem, type Server } from "./connection.ts";
import type { LocalCopy } from "./local-copy.ts";
import { NOTIFY_CHANNEL } from "./server.ts";
import { syncOnce } from "./sync.ts";

interface SyncerDeps {
  /** Opens this machine's copy, with the project as configured; rejects if that fails. */
  readonly copy: () => Promise<LocalCopy>;
  readonly connect: () => Promise<Server>;
  readonly log: Log;
  readonly notices: Notices;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
  /** Calls `body` after `ms` milliseconds; returns a function that cancels the call. */
  readonly later: (body: () => void, ms: number) => () => void;
}

/** Changes are gathered for this time, so that a turn's calls and an answer's writes are sent together. */
const CHANGE_BATCHING_MS = 1_000;
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 5 * 60_000;
/** If a round takes longer, another process may start its own; merging makes that harmless. */
const ROUND_INTERVAL_MS = 60_000;
/** The user is notified when the server has been away for this long. */
const LONG_OUTAGE_MS = 15 * 60_000;

const OUTAGE_NOTICE_CODE = "team_store_away";

export class TeamSyncer {
  #server: Promise<Server> | null = null;
  #isRunning = false;
  /** True if something has happened since the current round began. */
  #isWanted = false;
  #isListening = false;
  #isClosed = false;
  #failures = 0;
  #unplan: (() => void) | null = null;

  constructor(private readonly deps: SyncerDeps) {}

  /** Schedules a round, as there may be something to send or take. Returns at once. */
  wake(): void {
    this.#isWanted = true;
    // While the server is away, the next attempt is already scheduled.
    if (this.#isRunning || this.#unplan !== null) return;
    this.#schedule(CHANGE_BATCHING_MS);
  }

  /** Drops the connection; waiting changes stay in the outbox. */
  close(): void {
    this.#isClosed = true;
    this.#unplan?.();
    this.#unplan = null;
    this.#disconnect();
  }

  #schedule(ms: number): void {
    if (this.#isClosed) return;
    this.#unplan = this.deps.later(() => {
      this.#unplan = null;
      void this.#runRound();
    }, ms);
  }

  async #runRound(): Promise<void> {
    const { deps } = this;
    this.#isRunning = true;
    this.#isWanted = false;
    try {
      const copy = await deps.copy();
      await this.#sync(copy);
    } catch (error) {
      // The copy itself failed: the database is locked, or git gives no answer. The next turn tries again.
      if (!this.#isClosed) deps.log.warn("team.copy_failed", toFaultFields(error));
    } finally {
      this.#isRunning = false;
    }
    if (this.#failures > 0) this.#schedule(computeRetryDelayMs(this.#failures));
    else if (this.#isWanted) this.#schedule(CHANGE_BATCHING_MS);
  }

  async #sync(copy: LocalCopy): Promise<void> {
    const { deps } = this;
    const nowMs = deps.now();
    // Another process on this machine is syncing: it sends what waits, and this process checks again later.
    if (!copy.begin(nowMs, nowMs + ROUND_INTERVAL_MS)) {
      this.#isWanted = copy.waiting() > 0;
      return;
    }
    try {
      this.#server ??= deps.connect();
      const server = await this.#server;
      await syncOnce({ copy, server, pause: yieldToHost, now: deps.now });
      copy.reached(deps.now());
      deps.notices.over(OUTAGE_NOTICE_CODE);
      this.#failures = 0;
      await this.#listen(server);
    } catch (error) {
      // A session on this machine is writing, which says nothing about the server.
      if (error instanceof StorageError) this.#isWanted = true;
      else if (!this.#isClosed) this.#recordOutage(copy, error);
    } finally {
      copy.end();
    }
  }

  #recordOutage(copy: LocalCopy, error: unknown): void {
    const { log, notices, now } = this.deps;
    this.#failures += 1;
    this.#disconnect();
    const problem = describeProblem(error);
    copy.away(now(), problem);
    if (this.#failures === 1) log.warn("team.away", { problem });
    const { awaySinceMs } = copy.link();
    if (awaySinceMs === null || now() - awaySinceMs < LONG_OUTAGE_MS) return;
    notices.notice({
      code: OUTAGE_NOTICE_CODE,
      severity: "warning",
      ends: "by over",
      message: `The team's store could not be reached for ${formatCount(Math.round((now() - awaySinceMs) / 60_000))} minutes: ${problem}.`,
      remedy: `Sessions continue with this machine's copy, and ${formatCount(copy.waiting())} changes wait. Check the server, and memory.store in your settings.`,
    });
  }

  /** Listens for others' changes as they are made; without a listener, they arrive at each turn. */
  async #listen(server: Server): Promise<void> {
    if (this.#isListening) return;
    this.#isListening = true;
    const present = this.#server;
    server.ended(() => {
      if (this.#server === present) this.#onConnectionLost();
    });
    await server.listen(NOTIFY_CHANNEL, () => this.wake());
    // Changes may have been written before the server knew of the listener.
    this.#isWanted = true;
  }

  /** Forgets a lost connection; the next attempt opens another. */
  #onConnectionLost(): void {
    this.#server = null;
    this.#isListening = false;
    if (!this.#isClosed) this.wake();
  }

  #disconnect(): void {
    const server = this.#server;
    this.#server = null;
    this.#isListening = false;
    void server?.then(
      (open) => open.close().catch(this.#noted),
      // The connection was never opened; the attempt has already reported that.
      () => undefined,
    );
  }

  readonly #noted = (error: unknown) =>
    this.deps.log.debug("team.not_closed", { problem: describeProblem(error) });
}

function computeRetryDelayMs(failures: number): number {
  return Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));
}

function yieldToHost(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 1).unref());
}
