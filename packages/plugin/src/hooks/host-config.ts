// The host's live config, and one instance per directory and config.
import type { Hooks } from "@opencode-ai/plugin";
import type { OutputLimits } from "../feature-api/feature-context.ts";
import { hostDefaultLimits } from "../features/tool-output/limits.ts";

export type HostConfigInput = Parameters<NonNullable<Hooks["config"]>>[0];

/**
 * Which instance works with a host's config, by directory, and how to let it know of a second one. The
 * host gives one and the same object to every plugin of a directory; a registered symbol is shared
 * by all copies of this module.
 */
type ConfigClaims = WeakMap<object, Map<string, () => void>>;

const claimsMark = Symbol.for("session-runtime/host-config-claims");

function claims(): ConfigClaims {
  const shared = globalThis as typeof globalThis & { [claimsMark]?: ConfigClaims };
  const made = shared[claimsMark] ?? new WeakMap();
  shared[claimsMark] = made;
  return made;
}

/** Keys that are newer than the types that the host ships for plugins. */
interface NewerConfigKeys {
  readonly compaction?: { readonly prune?: unknown };
  readonly tool_output?: { readonly max_lines?: unknown; readonly max_bytes?: unknown };
}

/** The host's live merged config; the host hands it over once, when all plugins are up. */
export class HostConfig {
  #config: HostConfigInput | null = null;
  #standing: "active" | "duplicate" = "active";

  constructor(private readonly directory: string) {}

  /**
   * `doubled`: another instance of this plugin works on the same directory already; it is known by
   * the `onDouble` that it gave here.
   */
  take(config: HostConfigInput, onDouble: () => void): "active" | "duplicate" {
    this.#config = config;
    const claimed = claims().get(config) ?? new Map<string, () => void>();
    const reportFirst = claimed.get(this.directory);
    if (reportFirst) {
      this.#standing = "duplicate";
      reportFirst();
    } else claims().set(config, claimed.set(this.directory, onDouble));
    return this.#standing;
  }

  get role(): "active" | "duplicate" {
    return this.#standing;
  }

  /** The host gives this instance up; the next one may be given the same config. */
  release(): void {
    if (this.#config && this.#standing === "active")
      claims().get(this.#config)?.delete(this.directory);
  }

  instructions(): readonly string[] {
    return this.#config?.instructions ?? [];
  }

  /** The models that it names, as `provider/model`. */
  models(): { readonly main: string | null; readonly small: string | null } {
    return { main: this.#config?.model ?? null, small: this.#config?.small_model ?? null };
  }

  /** How many MCP servers are configured. */
  mcpServers(): number {
    return Object.keys(this.#config?.mcp ?? {}).length;
  }

  /** The host blanks old tool results between turns only when asked to. */
  prune(): "on" | "off" {
    return this.#newer.compaction?.prune === true ? "on" : "off";
  }

  /** What the host lets a tool's output have before it cuts it. */
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

  /** The specs of the plugins that are loaded, this one among them. */
  plugins(): readonly string[] {
    return (this.#config?.plugin ?? []).map((entry) => (Array.isArray(entry) ? entry[0] : entry));
  }
}
