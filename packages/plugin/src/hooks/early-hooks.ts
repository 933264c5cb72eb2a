// The hooks that the host gets at its start; each waits for the deferred part.
import type { Hooks, PluginInput } from "@opencode-ai/plugin";
import { declareHostCommands } from "../feature-api/declared-commands.ts";
import type { Feature } from "../feature-api/feature.ts";
import type { RunTool } from "../runtime/dispatch-hooks.ts";
import type { OpenPlugin } from "./create-plugin.ts";
import type { HostConfig } from "./host-config.ts";
import { hookNames, type OurHooks, registerCommands, registerJobAgent } from "./host-names.ts";
import type { LazyPlugin } from "./lazy.ts";
import { createHostTools } from "./tools.ts";

interface EarlyHooksDeps {
  readonly directory: PluginInput["directory"];
  readonly hostConfig: HostConfig;
  readonly deferred: LazyPlugin;
  readonly features: readonly Feature[];
  /** All features, including those that are off. */
  readonly listed: readonly Feature[];
}

/**
 * Returns the hooks that the host gets at its start, doing only what the host must wait for: one of two
 * instances becomes inactive, commands are added to the config, and other plugins can find the inbox. The
 * rest loads while the host continues to start, and each hook waits for it.
 */
export function createEarlyHooks({
  directory,
  hostConfig,
  deferred,
  features,
  listed,
}: EarlyHooksDeps): Hooks {
  let withdrawals: readonly (() => void)[] = [];
  /** An inactive instance loads nothing and does nothing. */
  const loadHooks = async (): Promise<Hooks> =>
    hostConfig.role === "duplicate" ? {} : ((await deferred.whenOpened())?.hooks ?? {});
  /** Once the hooks are loaded, a call waits for no promise. */
  const getReadyHooks = () => (hostConfig.role === "duplicate" ? null : deferred.ready?.hooks);
  const forward = (name: keyof OurHooks) => {
    return async (...given: readonly unknown[]) => {
      const hook = (getReadyHooks() ?? (await loadHooks()))[name];
      if (hook) await Reflect.apply(hook, undefined, given);
    };
  };
  const forwarded = Object.fromEntries(hookNames.map((name) => [name, forward(name)])) as OurHooks;
  const reportDuplicate = async () => (await deferred.whenOpened())?.reportDoubled();
  const runTool: RunTool = async (name, given, call) =>
    (await loadPlugin(deferred)).runTool(name, given, call);
  return {
    ...forwarded,
    /**
     * Returns the tools when the host first lists them: by then it is known which instance stays inactive,
     * and a prompt has tried the database. If the database can't be opened, the host's own request goes out.
     */
    get tool() {
      const isIdle = hostConfig.role === "duplicate" || deferred.ready?.storage() === "failed";
      return isIdle ? {} : createHostTools(features, runTool);
    },
    config: async (config) => {
      if (hostConfig.take(config, () => void reportDuplicate()) === "duplicate") return;
      registerCommands(config, declareHostCommands(listed, features));
      registerJobAgent(config);
      withdrawals = features.flatMap(({ name, publish }) =>
        publish
          ? [publish(directory, async () => (await loadPlugin(deferred)).requireFeature(name))]
          : [],
      );
      deferred.runFirst(async ({ hooks }) => hooks.config(config));
    },
    dispose: async () => {
      hostConfig.release();
      for (const withdraw of withdrawals) withdraw();
      if (deferred.isBegun) await (await loadHooks()).dispose?.();
    },
  };
}

/** Waits for the loaded plugin. @throws if it can't be loaded */
async function loadPlugin(deferred: LazyPlugin): Promise<OpenPlugin> {
  const plugin = await deferred.whenOpened();
  if (plugin) return plugin;
  throw new Error("Session Runtime could not be loaded; OpenCode's log says why.");
}
