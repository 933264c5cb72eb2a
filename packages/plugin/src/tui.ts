// Entry of the terminal UI's plugin: `{ id, tui }`.
import type { TuiPluginModule } from "@opencode-ai/plugin/tui";
import { terminalUiPlugin } from "./tui/plugin.ts";

/** Entry of the terminal UI's plugin: named in tui.json, loaded beside the host's own panels. */
export default {
  id: "session-runtime",
  tui: terminalUiPlugin,
} satisfies TuiPluginModule & { readonly id: string };
