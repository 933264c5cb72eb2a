import type { ServerResponse } from "node:http";

/** Streams at most, of all sessions together. */
const STREAMS = 16;
/** What a stream that nobody reads may pile up, in bytes. */
const UNREAD_BYTES = 16_384;
const HEARTBEAT_MS = 15_000;
/** Changes that come close together are told once: at once, and when they are over. */
const COALESCE_MS = 120;

/** Terminal UIs that wait to hear that a session's status has changed. */
export class ChangeStreams {
  readonly #open = new Map<ServerResponse, string>();
  readonly #quiet = new Map<string, "told" | "told and changed since">();
  readonly #heartbeat: ReturnType<typeof setInterval>;

  constructor() {
    this.#heartbeat = setInterval(() => this.#send(": here\n\n", () => true), HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  add(sessionId: string, response: ServerResponse): "added" | "full" {
    if (this.#open.size >= STREAMS) return "full";
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
    });
    this.#open.set(response, sessionId);
    // Bun's responses know no "close", and Node's requests have theirs when they have been read.
    response.req.socket.on("close", () => this.#open.delete(response));
    response.write(": here\n\n");
    return "added";
  }

  /** How many terminal UIs show the session. */
  watchers(sessionId: string): number {
    return [...this.#open.values()].filter((watched) => watched === sessionId).length;
  }

  changed(sessionId: string): void {
    if (this.watchers(sessionId) === 0) return;
    if (this.#quiet.has(sessionId)) {
      this.#quiet.set(sessionId, "told and changed since");
      return;
    }
    this.#tell(sessionId);
  }

  close(): void {
    clearInterval(this.#heartbeat);
    for (const response of this.#open.keys()) response.destroy();
    this.#open.clear();
  }

  #tell(sessionId: string): void {
    this.#send("event: changed\ndata: {}\n\n", (watched) => watched === sessionId);
    this.#quiet.set(sessionId, "told");
    const rest = setTimeout(() => {
      const state = this.#quiet.get(sessionId);
      this.#quiet.delete(sessionId);
      if (state === "told and changed since") this.#tell(sessionId);
    }, COALESCE_MS);
    rest.unref();
  }

  #send(text: string, isFor: (sessionId: string) => boolean): void {
    for (const [response, sessionId] of this.#open) {
      if (!isFor(sessionId)) continue;
      if (response.writableLength > UNREAD_BYTES) response.destroy();
      else response.write(text);
    }
  }
}
