// Reads a session's status each time it changes.
import type { PanelStatus } from "../status/panel.ts";
import type { ChannelClient } from "../tui-server/client.ts";

/** Reads a session's status each time it changes, with one request at a time and the newest change last. */
export class SessionWatch {
  readonly #over = new AbortController();
  #reading: "no" | "yes" | "yes, and changed since" = "no";

  constructor(
    private readonly deps: {
      readonly client: ChannelClient;
      readonly sessionId: string;
      readonly read: (status: PanelStatus) => void;
      /** Is called if the channel does not answer, but not once the watch is closed. */
      readonly broken: (error: unknown) => void;
    },
  ) {}

  start(): void {
    void this.#guard(async () => {
      const { client, sessionId } = this.deps;
      await client.watch(sessionId, () => this.#onChanged(), this.#over.signal);
      throw new Error("the server has closed the connection");
    });
  }

  close(): void {
    this.#over.abort();
  }

  #onChanged(): void {
    if (this.#reading === "no") void this.#guard(() => this.#read());
    else this.#reading = "yes, and changed since";
  }

  async #read(): Promise<void> {
    const { client, sessionId, read } = this.deps;
    do {
      this.#reading = "yes";
      // Both plugins have the same protocol, and so the same read model.
      const status = (await client.status(sessionId)) as PanelStatus;
      if (this.#over.signal.aborted) return;
      read(status);
    } while (this.#hasChangedSince());
    this.#reading = "no";
  }

  #hasChangedSince(): boolean {
    return this.#reading === "yes, and changed since";
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#over.signal.aborted) return;
      this.#over.abort();
      this.deps.broken(error);
    }
  }
}
