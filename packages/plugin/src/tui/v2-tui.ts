// Registers the panel with the terminal UI of OpenCode 2. Thin: what it shows is decided in v2-screen.ts.
import { type CliRenderer, TextRenderable } from "@opentui/core";
import { onCleanup } from "solid-js";
import { isV2Tui, showScreen } from "./v2-screen.ts";

/**
 * Shows our panel on OpenCode 2 and returns a function that removes everything again; undefined on other
 * hosts.
 */
export function showOnV2(ctx: unknown): (() => void) | undefined {
  if (!isV2Tui(ctx)) return undefined;
  const { renderer } = ctx as unknown as { readonly renderer: CliRenderer };
  return showScreen(ctx, {
    newText: () => new TextRenderable(renderer, { wrapMode: "word", visible: false }) as never,
    whenGone: onCleanup,
    nowMs: Date.now,
  });
}
