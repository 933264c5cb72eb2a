// The sidebar's panel and the status line below everything.
import type { TuiPluginApi } from "@opencode-ai/plugin/tui";
import { TextRenderable } from "@opentui/core";
import { useTerminalDimensions } from "@opentui/solid";
import { type Accessor, createEffect, createMemo, onCleanup } from "solid-js";
import { areLinesEqual, type Line } from "./line.ts";
import { paint } from "./paint.ts";
import type { ScreenState } from "./screen-state.ts";
import { renderBottomLine, renderPanelLines } from "./view.ts";

/** The panel's columns: the host's sidebar has 42, of which its margins and its scroll bar take five. */
const SIDEBAR_COLUMNS = 37;

/** The number of our panels that are in sidebars now. */
interface SidebarCounter {
  readonly count: Accessor<number>;
  readonly change: (by: 1 | -1) => void;
}

export function createSidebarPanel(
  api: TuiPluginApi,
  shown: ScreenState,
  sidebars: SidebarCounter,
): TextRenderable {
  const text = new TextRenderable(api.renderer, { wrapMode: "word", visible: false });
  drawLines(api, text, () => renderPanelLines(shown.view(), shown.nowMs(), SIDEBAR_COLUMNS));
  sidebars.change(1);
  onCleanup(() => sidebars.change(-1));
  return text;
}

/**
 * Builds the bottom row, which is shown only if there is no sidebar, so that nothing is said in two places.
 */
export function createBottomRow(
  api: TuiPluginApi,
  shown: ScreenState,
  sidebars: SidebarCounter,
): TextRenderable {
  const terminal = useTerminalDimensions();
  const text = new TextRenderable(api.renderer, { wrapMode: "none", height: 1, visible: false });
  drawLines(api, text, () => {
    if (shown.sessionId() === null || sidebars.count() > 0) return [];
    const line = renderBottomLine(shown.view(), shown.nowMs(), terminal().width);
    return line ? [line] : [];
  });
  return text;
}

/** Draws the lines whenever they look different, in the colours of the current theme. */
function drawLines(api: TuiPluginApi, text: TextRenderable, lines: () => readonly Line[]): void {
  const looks = createMemo(lines, [], { equals: areLinesEqual });
  createEffect(() => {
    text.content = paint(looks(), api.theme.current);
    text.visible = looks().length > 0;
  });
}
