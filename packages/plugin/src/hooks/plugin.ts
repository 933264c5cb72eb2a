// Starts one instance: reads the configuration and defers the rest until the host has started.
import type { Hooks, PluginInput } from "@opencode-ai/plugin";
import type { Feature } from "../feature-api/feature.ts";
import { loadStartupConfig, NO_OWN_FOLDERS } from "../runtime/startup-config.ts";
import { createEarlyHooks } from "./early-hooks.ts";
import { HostConfig } from "./host-config.ts";
import { LazyPlugin, reportLoadFailure } from "./lazy.ts";

/** Starts one instance: reads the configuration now, and loads the rest after the host's start. */
export async function startPlugin(
  input: PluginInput,
  options: unknown,
  listed: readonly Feature[],
): Promise<Hooks> {
  const { client, directory, worktree } = input;
  const place = {
    directory,
    worktree,
    options,
    leftOut: new Set<string>(),
    ownFolders: NO_OWN_FOLDERS,
  };
  const startup = await loadStartupConfig(listed, place);
  if (!startup) return {};
  const hostConfig = new HostConfig(directory);
  const deferred = new LazyPlugin(
    async () => (await import("./create-plugin.ts")).createPlugin({ input, hostConfig }, startup),
    (error) => reportLoadFailure(client, error),
  );
  return createEarlyHooks({ directory, hostConfig, deferred, ...startup });
}
