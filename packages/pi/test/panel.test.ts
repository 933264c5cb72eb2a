import { afterEach, expect, test } from "bun:test";
import { drawPanel, panelState, setPanel } from "../src/panel.ts";

const LINES = Array.from({ length: 14 }, (_, at) => `line ${at} of the panel`);

afterEach(() => setPanel("closed"));

function drawn(mode: "tui" | "rpc"): unknown {
  const shown: unknown[] = [];
  const ui = { setWidget: (_key: string, given: unknown) => void shown.push(given) };
  drawPanel({ ui: ui as never, mode }, LINES);
  return shown[0];
}

test("in a terminal the panel is drawn by a component: lines as such are cut at ten there", () => {
  setPanel("open");
  const made = drawn("tui") as () => { render(width: number): readonly string[] };
  expect(made().render(80)).toEqual(LINES);
  expect(made().render(6)).toEqual(LINES.map((line) => line.slice(0, 6)));
});

test("elsewhere it is lines, and a closed one is nothing", () => {
  setPanel("open");
  expect(drawn("rpc")).toEqual(LINES);
  setPanel("closed");
  expect(drawn("tui")).toBeUndefined();
  expect(panelState()).toBe("closed");
});
