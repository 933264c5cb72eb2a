import type { Hooks } from "@opencode-ai/plugin";

export type HostConfigInput = Parameters<NonNullable<Hooks["config"]>>[0];

/**
 * Whose a host's config is, by directory. The host gives one and the same object to every plugin of
 * a directory; a registered symbol is shared by all copies of this module.
 */
type Claims = WeakMap<object, Set<string>>;

const claimsMark = Symbol.for("session-runtime/host-config-claims");

function claims(): Claims {
  const shared = globalThis as typeof globalThis & { [claimsMark]?: Claims };
  const made = shared[claimsMark] ?? new WeakMap();
  shared[claimsMark] = made;
  return made;
}

/** The host's live merged config; the host hands it over once, when all plugins are up. */
export class HostConfig {
  #config: HostConfigInput | null = null;
  #standing: "only" | "doubled" = "only";

  constructor(private readonly directory: string) {}

  /** `doubled`: another instance of this plugin works on the same directory already. */
  take(config: HostConfigInput): "only" | "doubled" {
    this.#config = config;
    const claimed = claims().get(config) ?? new Set<string>();
    this.#standing = claimed.has(this.directory) ? "doubled" : "only";
    claims().set(config, claimed.add(this.directory));
    return this.#standing;
  }

  get standing(): "only" | "doubled" {
    return this.#standing;
  }

  /** The host gives this instance up; the next one may be given the same config. */
  release(): void {
    if (this.#config && this.#standing === "only")
      claims().get(this.#config)?.delete(this.directory);
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

  /** The specs of the plugins that are loaded, this one among them. */
  plugins(): readonly string[] {
    return (this.#config?.plugin ?? []).map((entry) => (Array.isArray(entry) ? entry[0] : entry));
  }
}
