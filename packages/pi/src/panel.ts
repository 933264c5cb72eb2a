// Draws the panel above Pi's editor: open or closed for the whole process, and as wide as the terminal.
import type { PiContext } from "./pi.ts";

/** Names the widget, and our line in the footer. */
export const SHOWN_AS = "session-runtime";

/**
 * Keys the state that outlives an extension: a fork, a reload or another session makes a new one, and the
 * panel stays open.
 */
const STATE = Symbol.for("session-runtime.pi.panel");

export function panelState(): "open" | "closed" {
  return Reflect.get(globalThis, STATE) === "open" ? "open" : "closed";
}

export function setPanel(state: "open" | "closed"): void {
  Reflect.set(globalThis, STATE, state);
}

export function drawPanel({ ui, mode }: Pick<PiContext, "ui" | "mode">, lines: readonly string[]) {
  if (panelState() === "closed") ui.setWidget(SHOWN_AS, undefined);
  // Pi cuts plain lines at ten in a terminal; elsewhere no component can be drawn.
  else ui.setWidget(SHOWN_AS, mode === "tui" ? () => component(lines) : lines);
}

function component(lines: readonly string[]) {
  return {
    render: (width: number) => lines.map((line) => [...line].slice(0, width).join("")),
    invalidate: () => undefined,
  };
}
