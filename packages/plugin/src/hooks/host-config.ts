// The host's live config, and the rule of one instance per directory and config.
import type { Hooks } from "@opencode-ai/plugin";
import type { OutputLimits } from "../feature-api/feature-context.ts";
import { hostDefaultLimits } from "../features/tool-output/limits.ts";

export type HostConfigInput = Parameters<NonNullable<Hooks["config"]>>[0];

/**
 * Maps a host's config and a directory to the working instance's callback about a second instance. The host
 * gives the same object to every plugin of a directory; all copies of this module share a registered symbol.
 */
type ConfigClaims = WeakMap<object, Map<string, () => void>>;

const CLAIMS_KEY = Symbol.for("session-runtime/host-config-claims");

function getSharedClaims(): ConfigClaims {
  const shared = globalThis as typeof globalThis & { [CLAIMS_KEY]?: ConfigClaims };
  const made = shared[CLAIMS_KEY] ?? new WeakMap();
  shared[CLAIMS_KEY] = made;
  return made;
}

/** Config keys that are missing from the types that the host ships for plugins. */
interface NewerConfigKeys {
  readonly compaction?: { readonly prune?: unknown };
  readonly tool_output?: { readonly max_lines?: unknown; readonly max_bytes?: unknown };
}

/** Holds the host's live merged config, which the host passes once, when all plugins have started. */
export class HostConfig {
  #config: HostConfigInput | null = null;
  #standing: "active" | "duplicate" = "active";

  constructor(private readonly directory: string) {}

  /**
   * Claims the directory. `duplicate` means that another instance of this plugin already works on it; that
   * instance is notified through its own `onDouble`.
   */
  take(config: HostConfigInput, onDouble: () => void): "active" | "duplicate" {
    this.#config = config;
    const claimed = getSharedClaims().get(config) ?? new Map<string, () => void>();
    const reportFirst = claimed.get(this.directory);
    if (reportFirst) {
      this.#standing = "duplicate";
      reportFirst();
    } else getSharedClaims().set(config, claimed.set(this.directory, onDouble));
    return this.#standing;
  }

  get role(): "active" | "duplicate" {
    return this.#standing;
  }

  /** Releases the claim, because the next instance may be given the same config. */
  release(): void {
    if (this.#config && this.#standing === "active")
      getSharedClaims().get(this.#config)?.delete(this.directory);
  }

  listInstructions(): readonly string[] {
    return this.#config?.instructions ?? [];
  }

  /** Returns the models that the config names, as `provider/model`. */
  readModels(): { readonly main: string | null; readonly small: string | null } {
    return { main: this.#config?.model ?? null, small: this.#config?.small_model ?? null };
  }

  /** Counts the configured MCP servers. */
  countMcpServers(): number {
    return Object.keys(this.#config?.mcp ?? {}).length;
  }

  /** Says whether the host removes old tool results between turns, which it does only if configured to. */
  prune(): "on" | "off" {
    return this.#newer.compaction?.prune === true ? "on" : "off";
  }

  /** Returns the size at which the host cuts a tool's output. */
  outputLimits(): OutputLimits {
    const { max_lines: lines, max_bytes: bytes } = this.#newer.tool_output ?? {};
    return {
      maxLines: typeof lines === "number" ? lines : hostDefaultLimits.maxLines,
      maxBytes: typeof bytes === "number" ? bytes : hostDefaultLimits.maxBytes,
    };
  }

  get #newer(): NewerConfigKeys {
    const config: object = this.#config ?? {};
    return config;
  }

  /** Returns the specs of the loaded plugins, including this one. */
  listPlugins(): readonly string[] {
    return (this.#config?.plugin ?? []).map((entry) => (Array.isArray(entry) ? entry[0] : entry));
  }
}
