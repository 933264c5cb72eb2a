// Plays many sessions in threads of their own: each takes a good part of a second.
import { type EventEmitter, once } from "node:events";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { estimateSession, type PastSession, type SessionEstimate } from "./session-estimate.ts";

/** As scripts/build-cli.mjs names it, beside the bundle. */
const FILE = join(dirname(fileURLToPath(import.meta.url)), "simulator.js");

/** Fewer sessions are played before a thread has started. */
const MIN_SESSIONS = 8;
/** Each holds some hundred megabytes. */
const MAX_THREADS = 3;

type Thread = EventEmitter & Pick<Worker, "postMessage" | "terminate">;

/** `sessions`: how many there will be at most. Run from source there is no bundle, and no thread. */
export function threadsFor(sessions: number): readonly Thread[] {
  const isWorthIt = sessions >= MIN_SESSIONS && existsSync(FILE);
  const length = isWorthIt ? Math.min(MAX_THREADS, availableParallelism()) : 0;
  return Array.from({ length }, () => new Worker(FILE));
}

/** Take sessions one by one. Without threads, they play them as they take them. */
export class Simulators {
  readonly #idle: Thread[];
  readonly #running = new Set<Promise<void>>();
  readonly #failures: unknown[] = [];

  constructor(private readonly threads: readonly Thread[]) {
    this.#idle = [...threads];
  }

  /** Waits for a thread that is free; `done` is called when the session has been played. */
  async take(past: PastSession, done: (estimate: SessionEstimate) => void): Promise<void> {
    if (this.threads.length === 0) {
      done(estimateSession(past));
      return;
    }
    let thread = this.#idle.pop();
    while (!thread) {
      // First: where all have failed, none is running that could be waited for.
      this.#throwFailure();
      await Promise.race(this.#running);
      thread = this.#idle.pop();
    }
    const run = this.#play(thread, past, done);
    this.#running.add(run);
    void run.finally(() => this.#running.delete(run));
  }

  /** All that was taken has been played. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
    this.#throwFailure();
  }

  async close(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.terminate()));
  }

  async #play(
    thread: Thread,
    past: PastSession,
    done: (estimate: SessionEstimate) => void,
  ): Promise<void> {
    try {
      const answered = once(thread, "message");
      thread.postMessage(past);
      const [estimate]: SessionEstimate[] = await answered;
      if (estimate) done(estimate);
      this.#idle.push(thread);
    } catch (error) {
      // Thrown where somebody waits.
      this.#failures.push(error);
    }
  }

  #throwFailure(): void {
    if (this.#failures.length > 0) throw this.#failures[0];
  }
}
