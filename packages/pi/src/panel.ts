// The panel above Pi's editor: open or closed for all of a process, and drawn as wide as the terminal is.
import type { PiContext } from "./pi.ts";

/** Key of the widget, and of our line in the footer. */
export const SHOWN_AS = "session-runtime";

/** A fork, a reload or another session makes a new extension: what the user has opened stays open. */
const STATE = Symbol.for("session-runtime.pi.panel");

export function panelState(): "open" | "closed" {
  return Reflect.get(globalThis, STATE) === "open" ? "open" : "closed";
}

export function setPanel(state: "open" | "closed"): void {
  Reflect.set(globalThis, STATE, state);
}

export function drawPanel({ ui, mode }: Pick<PiContext, "ui" | "mode">, lines: readonly string[]) {
  if (panelState() === "closed") ui.setWidget(SHOWN_AS, undefined);
  // Lines as such are cut at ten there; elsewhere no component can be drawn.
  else ui.setWidget(SHOWN_AS, mode === "tui" ? () => component(lines) : lines);
}

function component(lines: readonly string[]) {
  return {
    render: (width: number) => lines.map((line) => [...line].slice(0, width).join("")),
    invalidate: () => undefined,
  };
}
