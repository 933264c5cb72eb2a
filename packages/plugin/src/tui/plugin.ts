// Composes the terminal UI's part.
// Folder: The panel and dialogs in OpenCode's terminal UI.
import type { TuiPluginApi } from "@opencode-ai/plugin/tui";
import { createRoot, createSignal } from "solid-js";
import { listDeclaredCommands } from "../feature-api/declared-commands.ts";
import type { Feature } from "../feature-api/feature.ts";
import { registerCommands } from "./commands.ts";
import { createBottomRow, createSidebarPanel } from "./panel.ts";
import { createScreenState } from "./screen-state.ts";

/** Places our panel among the host's own: right below its context (100), above MCP (200). */
const PANEL_ORDER = 150;

/** Starts the terminal UI's part. All that it keeps ends when the host disposes of it. */
export function showTerminalUi(api: TuiPluginApi, features: readonly Feature[]): void {
  const commands = listDeclaredCommands(features);
  createRoot((dispose) => {
    api.lifecycle.onDispose(dispose);
    const shown = createScreenState(api);
    const [count, setCount] = createSignal(0);
    const sidebars = { count, change: (by: 1 | -1) => void setCount((now) => now + by) };
    registerCommands(api, shown, commands);
    api.slots.register({
      order: PANEL_ORDER,
      slots: {
        sidebar_content: () => createSidebarPanel(api, shown, sidebars),
        app_bottom: () => createBottomRow(api, shown, sidebars),
      },
    });
  });
}
