// Entry of the plugin: `{ id, server }`; OpenCode calls `server` once per project directory.
// Folder: The plugin that OpenCode loads, and the entries that other code imports.
import type { Plugin, PluginModule } from "@opencode-ai/plugin";
import { beginPlugin } from "./hooks/begin.ts";
import { loadFeatures } from "./rooms.ts";

/** Entry of the plugin: OpenCode calls `server` once per project directory. */
const server: Plugin = async (input, options) =>
  beginPlugin(input, options, await loadFeatures(process.env));

export default { id: "session-runtime", server } satisfies PluginModule;
