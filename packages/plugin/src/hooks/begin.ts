// Starts one instance: reads the configuration and defers the rest until the host has started.
import { homedir } from "node:os";
import type { Hooks, PluginInput } from "@opencode-ai/plugin";
import { loadConfig } from "../config/load.ts";
import type { Feature } from "../features/feature.ts";
import { settingsSections } from "../features/settings-sections.ts";
import { turnedOn } from "../features/turned-on.ts";
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
  const around = { env: process.env, home: homedir() };
  const configured = await loadConfig(settingsSections(listed), {
    directory,
    worktree,
    options,
    ...around,
  });
  if (!configured.config.enabled) return {};
  const features = turnedOn(listed, configured.config, new Set());
  const hostConfig = new HostConfig(directory);
  const deferred = new DeferredPlugin(
    async () =>
      (await import("./open.ts")).openPlugin(
        { input, hostConfig },
        { configured, listed },
        features,
      ),
    (error) => reportLoadFailure(client, error),
  );
  return frontHooks({ directory, hostConfig, deferred, features });
}
