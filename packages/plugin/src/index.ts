// Entry of the plugin: `{ id, server, setup }`; OpenCode 1.18 works with `server`, OpenCode 2 with `setup`.
// Folder: The plugin that OpenCode loads, and the entries that other code imports.
import type { Plugin, PluginModule } from "@opencode-ai/plugin";
import { loadFeatures } from "./features/list.ts";
import { startPlugin } from "./hooks/plugin.ts";
import { setup } from "./hooks-v2/setup.ts";

/** The plugin's entry: OpenCode calls `server` once per project directory. */
const server: Plugin = async (input, options) =>
  startPlugin(input, options, await loadFeatures(process.env));

export default {
  id: "session-runtime",
  server,
  setup: (ctx: unknown) => setup(ctx, () => loadFeatures(process.env)),
} satisfies PluginModule & { readonly setup: unknown };
