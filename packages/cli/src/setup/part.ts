// Defines setup's work for one host.
import type { FoundHost } from "../host/find-host.ts";
import type { FileChange } from "./file-change.ts";
import type { PluginCheckResult } from "./try-out.ts";

/** Describes setup's work for one host. */
export interface Part {
  readonly host: FoundHost;
  readonly name: "OpenCode" | "Pi";
  readonly spec: string;
  /** The message where there is nothing to change. */
  readonly unchanged: string;
  /** Checks, before any config names the spec, that the host can get and load it. @throws CliError */
  makeSureItLoads(): Promise<void>;
  /** Plans the changes, and may ask the user. */
  plan(): Promise<PartPlan>;
  /** Tries the plugin once the config is written; null where that can't be seen here. */
  checkPluginWorks(): Promise<PluginCheckResult | null>;
}

export interface PartPlan {
  readonly changes: readonly FileChange[];
  /** The notes for the user, a sentence or two each. */
  readonly notes: readonly string[];
  readonly asked: "something" | "nothing";
}
