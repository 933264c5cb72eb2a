// The parts that our dialogs share: box, a line of text, the row of keys.
import type { TuiPluginApi } from "@opencode-ai/plugin/tui";
import { BoxRenderable, type Renderable, TextRenderable } from "@opentui/core";
import { createEffect } from "solid-js";
import { type Line, segment } from "./line.ts";
import { paint } from "./paint.ts";

/** The rows that a dialog takes besides its content, including the host's frame around it. */
const FRAME_ROWS = 7;
const MIN_ROWS = 3;

/** Returns the rows for the content: the host lets a dialog begin a quarter of the way down the screen. */
export function computeDialogRows(screenRows: number): number {
  return Math.max(MIN_ROWS, Math.floor(screenRows * 0.75) - FRAME_ROWS);
}

export function createDialogBox(api: TuiPluginApi, parts: readonly Renderable[]): BoxRenderable {
  const box = new BoxRenderable(api.renderer, {
    flexDirection: "column",
    gap: 1,
    paddingX: 2,
    paddingBottom: 1,
  });
  for (const part of parts) box.add(part);
  return box;
}

export function createLineText(api: TuiPluginApi, line: () => Line): TextRenderable {
  const text = new TextRenderable(api.renderer, { wrapMode: "none", flexShrink: 0 });
  createEffect(() => {
    text.content = paint([line()], api.theme.current);
  });
  return text;
}

/** Renders keys, each with what it does. */
export function renderKeysLine(keys: readonly (readonly [string, string])[]): Line {
  return keys.flatMap(([key, meaning], index) => [
    segment("text", index === 0 ? key : `   ${key}`),
    segment("muted", ` ${meaning}`),
  ]);
}

/** Returns an error's message without its full stop, for a sentence of ours. */
export function toErrorMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\.$/, "");
}
