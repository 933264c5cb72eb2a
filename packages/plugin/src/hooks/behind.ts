// Loads the rest of the plugin once, after the host's start, and reports a failure to load.
import type { PluginInput } from "@opencode-ai/plugin";
import type { OpenPlugin } from "./open.ts";

/**
 * What is loaded behind the host's start, once. Whoever needs it waits for it; where it can't be
 * loaded the user is told once, and there is nothing to hand on to.
 */
export class Behind {
  #opening: Promise<OpenPlugin | null> | null = null;
  #ready: OpenPlugin | null = null;

  constructor(
    private readonly load: () => Promise<OpenPlugin>,
    private readonly failed: (error: unknown) => void,
  ) {}

  get isBegun(): boolean {
    return this.#opening !== null;
  }

  /** Null while it is waited for, and where it could not be loaded. */
  get ready(): OpenPlugin | null {
    return this.#ready;
  }

  /** Never rejects. */
  opened(): Promise<OpenPlugin | null> {
    return this.#opening ?? this.#waitFor(this.#open());
  }

  /** Work that comes before all that is asked for after it. */
  first(work: (plugin: OpenPlugin) => Promise<void>): void {
    void this.#waitFor(this.#worked(this.opened(), work));
  }

  #waitFor(opening: Promise<OpenPlugin | null>): Promise<OpenPlugin | null> {
    this.#opening = opening;
    this.#ready = null;
    void opening.then((plugin) => {
      if (this.#opening === opening) this.#ready = plugin;
    });
    return opening;
  }

  async #worked(opening: Promise<OpenPlugin | null>, work: (plugin: OpenPlugin) => Promise<void>) {
    const plugin = await opening;
    try {
      if (plugin) await work(plugin);
    } catch (error) {
      this.failed(error);
    }
    return plugin;
  }

  async #open(): Promise<OpenPlugin | null> {
    try {
      return await this.load();
    } catch (error) {
      this.failed(error);
      return null;
    }
  }
}

/** Tells it by the host alone: nothing of ours may be there to do it. */
export function tellUnloaded(client: PluginInput["client"], error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  const message = `Session Runtime could not be loaded, so sessions go on as the host makes them (${reason}). Install the plugin anew, or report it if it stays.`;
  const tell = async () => {
    const body = { service: "session-runtime", level: "error", message } as const;
    await client.app.log({ body });
    await client.tui.showToast({ body: { title: "Session Runtime", message, variant: "error" } });
  };
  tell().catch((unheard) => console.error(message, unheard));
}
