// Builds one instance on OpenCode: the working hooks, and what the early hooks pass on to them.
import type { FeatureInstance } from "../feature-api/feature.ts";
import type { RunTool } from "../runtime/dispatch-hooks.ts";
import { openInstance } from "../runtime/instance.ts";
import type { StartupConfig } from "../runtime/startup-config.ts";
import { listedTwiceNotice } from "../status/notices.ts";
import type { DatabaseHandle } from "../storage/database-handle.ts";
import { composePlugin, createOpenCodeParts } from "./compose.ts";
import { createHooks } from "./hooks.ts";
import type { OurHooks } from "./host-names.ts";
import { skipJobSessions } from "./job-calls.ts";
import type { OpenCode } from "./opencode-host.ts";

/** Holds what the early hooks forward to: the hooks that do the work, and their results. */
export interface OpenPlugin {
  readonly hooks: OurHooks;
  /** Returns a feature. @throws if it could not be opened */
  readonly requireFeature: (feature: string) => FeatureInstance;
  readonly runTool: RunTool;
  /**
   * The database's state. `failed` means that the features' data can't be read, and their tools would fail.
   */
  readonly storage: () => DatabaseHandle["state"];
  /** Reports that another instance on the same directory stays idle. */
  readonly reportDoubled: () => void;
}

/** Builds one instance; the early hooks load this module, and with it everything that a session needs. */
export async function createPlugin(
  openCode: OpenCode,
  startup: StartupConfig,
): Promise<OpenPlugin> {
  const parts = createOpenCodeParts(openCode, startup.configured);
  const plugin = composePlugin(await openInstance(parts.host, startup), parts);
  return {
    hooks: skipJobSessions(createHooks(plugin, startup.features), plugin),
    runTool: plugin.runTool,
    storage: () => plugin.database.state,
    requireFeature: (feature) => {
      const instance = plugin.featureInstances.find((one) => one.feature === feature);
      if (instance) return instance;
      throw new Error(`${feature} could not be opened; the log says why.`);
    },
    reportDoubled: () => plugin.notices.notice(listedTwiceNotice),
  };
}
