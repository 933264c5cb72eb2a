// Loads the rest of the plugin once, after the host's start, and reports a failure to load.
import type { PluginInput } from "@opencode-ai/plugin";
import type { OpenPlugin } from "./create-plugin.ts";

/**
 * Holds the part of the plugin that loads once the host has started; callers that need it wait. If it can't be
 * loaded, the user gets one message and callers get null.
 */
export class LazyPlugin {
  #opening: Promise<OpenPlugin | null> | null = null;
  #ready: OpenPlugin | null = null;

  constructor(
    private readonly load: () => Promise<OpenPlugin>,
    private readonly failed: (error: unknown) => void,
  ) {}

  get isBegun(): boolean {
    return this.#opening !== null;
  }

  /** Returns null until the plugin has loaded, and if it could not be loaded. */
  get ready(): OpenPlugin | null {
    return this.#ready;
  }

  /** Waits until the plugin has loaded. Never rejects. */
  whenOpened(): Promise<OpenPlugin | null> {
    return this.#opening ?? this.#waitFor(this.#open());
  }

  /** Runs `work` before anything that is requested later. */
  runFirst(work: (plugin: OpenPlugin) => Promise<void>): void {
    void this.#waitFor(this.#runWork(this.whenOpened(), work));
  }

  #waitFor(opening: Promise<OpenPlugin | null>): Promise<OpenPlugin | null> {
    this.#opening = opening;
    this.#ready = null;
    void opening.then((plugin) => {
      if (this.#opening === opening) this.#ready = plugin;
    });
    return opening;
  }

  async #runWork(opening: Promise<OpenPlugin | null>, work: (plugin: OpenPlugin) => Promise<void>) {
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

/** Reports through the host alone, since nothing of ours may have loaded. */
export function reportLoadFailure(client: PluginInput["client"], error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  const message = `Session Runtime could not be loaded, so sessions run as they do without it (${reason}). Reinstall the plugin; report it if the problem persists.`;
  const report = async () => {
    const body = { service: "session-runtime", level: "error", message } as const;
    await client.app.log({ body });
    await client.tui.showToast({ body: { title: "Session Runtime", message, variant: "error" } });
  };
  report().catch((unheard) => console.error(message, unheard));
}
