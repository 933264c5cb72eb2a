import type { TuiPluginApi } from "@opencode-ai/plugin/tui";
import { TextRenderable } from "@opentui/core";
import { useTerminalDimensions } from "@opentui/solid";
import { type Accessor, createEffect, onCleanup } from "solid-js";
import { paint } from "./paint.ts";
import type { Shown } from "./shown.ts";
import { bottomLine, panelLines } from "./view.ts";

/** The host's sidebar has 42 columns; its margins and its scroll bar take five. */
const SIDEBAR_COLUMNS = 37;

/** How many of our panels stand in sidebars now. */
export interface Sidebars {
  readonly count: Accessor<number>;
  readonly change: (by: 1 | -1) => void;
}

export function sidebarPanel(api: TuiPluginApi, shown: Shown, sidebars: Sidebars): TextRenderable {
  const text = new TextRenderable(api.renderer, { wrapMode: "word", visible: false });
  createEffect(() => {
    const lines = panelLines(shown.view(), shown.nowMs(), SIDEBAR_COLUMNS);
    text.content = paint(lines, api.theme.current);
    text.visible = lines.length > 0;
  });
  sidebars.change(1);
  onCleanup(() => sidebars.change(-1));
  return text;
}

/** Stands where no sidebar does: there is one place for each thing that is said. */
export function bottomRow(api: TuiPluginApi, shown: Shown, sidebars: Sidebars): TextRenderable {
  const terminal = useTerminalDimensions();
  const text = new TextRenderable(api.renderer, { wrapMode: "none", height: 1, visible: false });
  createEffect(() => {
    const isWanted = shown.sessionId() !== null && sidebars.count() === 0;
    const line = isWanted ? bottomLine(shown.view(), shown.nowMs(), terminal().width) : null;
    text.content = paint(line ? [line] : [], api.theme.current);
    text.visible = line !== null;
  });
  return text;
}
