// Starts one instance: reads the configuration and defers the rest until the host has started.
import type { Hooks, PluginInput } from "@opencode-ai/plugin";
import type { Feature } from "../features/feature.ts";
import { NO_OWN_FOLDERS, readBeginning } from "../instance/beginning.ts";
import { DeferredPlugin, reportLoadFailure } from "./deferred-plugin.ts";
import { frontHooks } from "./front.ts";
import { HostConfig } from "./host-config.ts";

/** Starts one instance: reads the configuration now, and loads the rest after the host's start. */
export async function beginPlugin(
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
  const beginning = await readBeginning(listed, place);
  if (!beginning) return {};
  const hostConfig = new HostConfig(directory);
  const deferred = new DeferredPlugin(
    async () => (await import("./open.ts")).openPlugin({ input, hostConfig }, beginning),
    (error) => reportLoadFailure(client, error),
  );
  return frontHooks({ directory, hostConfig, deferred, ...beginning });
}
