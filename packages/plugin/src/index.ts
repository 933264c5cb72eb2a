// Entry of the plugin: `{ id, server }`; OpenCode calls `server` once per project directory.
// Folder: The plugin that OpenCode loads, and the entries that other code imports.
import type { Plugin, PluginModule } from "@opencode-ai/plugin";
import { beginPlugin } from "./hooks/begin.ts";

/** Entry of the plugin: OpenCode calls `server` once per project directory. */
const server: Plugin = (input, options) => beginPlugin(input, options);

export default { id: "session-runtime", server } satisfies PluginModule;
