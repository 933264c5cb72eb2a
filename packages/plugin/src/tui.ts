// Entry of the terminal UI's plugin: `{ id, tui, setup }`; OpenCode 1.18 works with `tui`, OpenCode 2 with `setup`.
import type { TuiPluginModule } from "@opencode-ai/plugin/tui";
import { loadFeatures } from "./features/list.ts";
import { showTerminalUi } from "./tui/plugin.ts";
import { showOnV2 } from "./tui/v2-tui.ts";

/** Entry of the terminal UI's plugin: named in tui.json, loaded beside the host's own panels. */
export default {
  id: "session-runtime",
  tui: async (api) => showTerminalUi(api, await loadFeatures(process.env)),
  setup: (ctx: unknown) => showOnV2(ctx),
} satisfies TuiPluginModule & { readonly id: string; readonly setup: unknown };
