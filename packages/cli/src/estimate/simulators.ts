// Simulates many sessions in threads: each takes a good part of a second.
import { type EventEmitter, once } from "node:events";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { estimateSession, type PastSession, type SessionEstimate } from "./session-estimate.ts";

/** Names the file that scripts/build-cli.mjs writes beside the bundle. */
const FILE = join(dirname(fileURLToPath(import.meta.url)), "simulator.js");

/** Fewer sessions are finished before a thread has started. */
const MIN_SESSIONS = 8;
/** Limits the threads, each of which holds some hundred megabytes. */
const MAX_THREADS = 3;

type Thread = EventEmitter & Pick<Worker, "postMessage" | "terminate">;

/** Starts threads for at most `sessions` sessions; none when run from source, where there is no bundle. */
export function threadsFor(sessions: number): readonly Thread[] {
  const isWorthIt = sessions >= MIN_SESSIONS && existsSync(FILE);
  const length = isWorthIt ? Math.min(MAX_THREADS, availableParallelism()) : 0;
  return Array.from({ length }, () => new Worker(FILE));
}

/** Simulates sessions one by one; without threads, each as it is given. */
export class Simulators {
  readonly #idle: Thread[];
  readonly #running = new Set<Promise<void>>();
  readonly #failures: unknown[] = [];

  constructor(private readonly threads: readonly Thread[]) {
    this.#idle = [...threads];
  }

  /** Waits for a free thread; `done` is called when the session is finished. */
  async submit(past: PastSession, done: (estimate: SessionEstimate) => void): Promise<void> {
    if (this.threads.length === 0) {
      done(estimateSession(past));
      return;
    }
    let thread = this.#idle.pop();
    while (!thread) {
      // Failures come first: if all threads have failed, none is left to wait for.
      this.#throwFailure();
      await Promise.race(this.#running);
      thread = this.#idle.pop();
    }
    const run = this.#play(thread, past, done);
    this.#running.add(run);
    void run.finally(() => this.#running.delete(run));
  }

  /** Waits until all given sessions are finished. */
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
      // The failure is thrown where a caller waits.
      this.#failures.push(error);
    }
  }

  #throwFailure(): void {
    if (this.#failures.length > 0) throw this.#failures[0];
  }
}
