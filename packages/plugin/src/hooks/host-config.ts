import type { Hooks } from "@opencode-ai/plugin";

type HostConfigInput = Parameters<NonNullable<Hooks["config"]>>[0];

/** The host's live merged config; the host hands it over once, when all plugins are up. */
export class HostConfig {
  #config: HostConfigInput | null = null;

  take(config: HostConfigInput): void {
    this.#config = config;
  }

  instructions(): readonly string[] {
    return this.#config?.instructions ?? [];
  }

  /** The host blanks old tool results between turns only when asked to. */
  prune(): "on" | "off" {
    const config: unknown = this.#config;
    if (typeof config !== "object" || config === null || !("compaction" in config)) return "off";
    const { compaction } = config;
    const prune =
      typeof compaction === "object" && compaction !== null && "prune" in compaction
        ? compaction.prune
        : false;
    return prune === true ? "on" : "off";
  }

  /** The specs of the plugins that are loaded beside this one. */
  plugins(): readonly string[] {
    return (this.#config?.plugin ?? []).map((entry) => (Array.isArray(entry) ? entry[0] : entry));
  }
}
