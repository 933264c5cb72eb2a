// Entry of the terminal UI's plugin: `{ id, tui }`.
import type { TuiPluginModule } from "@opencode-ai/plugin/tui";
import { loadFeatures } from "./rooms.ts";
import { showTerminalUi } from "./tui/plugin.ts";

/** Entry of the terminal UI's plugin: named in tui.json, loaded beside the host's own panels. */
export default {
  id: "session-runtime",
  tui: async (api) => showTerminalUi(api, await loadFeatures(process.env)),
} satisfies TuiPluginModule & { readonly id: string };
