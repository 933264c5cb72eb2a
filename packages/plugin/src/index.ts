import type { Plugin, PluginModule } from "@opencode-ai/plugin";
import { composePlugin } from "./hooks/compose.ts";
import { createHooks } from "./hooks/hooks.ts";
import { withLowering } from "./hooks/lowering.ts";
import { traced } from "./hooks/tracing.ts";

/** Entry of the plugin: OpenCode calls `server` once per project directory. */
const server: Plugin = async (input, options) => {
  const composed = await composePlugin(input, options);
  return composed ? traced(withLowering(createHooks(composed), composed), composed) : {};
};

export default { id: "session-runtime", server } satisfies PluginModule;
