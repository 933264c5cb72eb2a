// Terminal UIs subscribed to changes; bounded and coalesced.
import type { ServerResponse } from "node:http";

/** The most streams, of all sessions together. */
const MAX_STREAMS = 16;
/** The most bytes that may pile up in a stream that nobody reads. */
const MAX_UNREAD_BYTES = 16_384;
const HEARTBEAT_INTERVAL_MS = 15_000;
/**
 * A change is sent after this delay, together with those that follow in the meantime. A turn begins with
 * several changes, and the work that they cause in a terminal UI must not come before the model call.
 */
const COALESCE_DELAY_MS = 250;

/** Holds the terminal UIs that wait to hear that a session's status has changed. */
export class ChangeStreams {
  readonly #open = new Map<ServerResponse, string>();
  /** Sessions whose change is about to be sent. */
  readonly #due = new Set<string>();
  readonly #heartbeat: ReturnType<typeof setInterval>;

  constructor() {
    this.#heartbeat = setInterval(
      () => this.#send(": here\n\n", () => true),
      HEARTBEAT_INTERVAL_MS,
    );
    this.#heartbeat.unref();
  }

  add(sessionId: string, response: ServerResponse): "added" | "full" {
    if (this.#open.size >= MAX_STREAMS) return "full";
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
    });
    this.#open.set(response, sessionId);
    // Bun's responses emit no "close", and Node's requests emit theirs once they have been read.
    response.req.socket.on("close", () => this.#open.delete(response));
    response.write(": here\n\n");
    return "added";
  }

  /** Counts the terminal UIs that show the session. */
  countWatchers(sessionId: string): number {
    return [...this.#open.values()].filter((watched) => watched === sessionId).length;
  }

  scheduleChangeEvent(sessionId: string): void {
    if (this.#due.has(sessionId) || this.countWatchers(sessionId) === 0) return;
    this.#due.add(sessionId);
    const telling = setTimeout(() => {
      this.#due.delete(sessionId);
      this.#send("event: changed\ndata: {}\n\n", (watched) => watched === sessionId);
    }, COALESCE_DELAY_MS);
    telling.unref();
  }

  close(): void {
    clearInterval(this.#heartbeat);
    for (const response of this.#open.keys()) response.destroy();
    this.#open.clear();
  }

  #send(text: string, isFor: (sessionId: string) => boolean): void {
    for (const [response, sessionId] of this.#open) {
      if (!isFor(sessionId)) continue;
      if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
      else response.write(text);
    }
  }
}
