import { expect, test } from "bun:test";
import type { ShownQueue } from "../../src/feature-api/screen.ts";
import { toPlainText } from "../../src/tui/line.ts";
import { renderQueueLines, selectKeys } from "../../src/tui/queue-state.ts";

const createQueue = (count: number, activity: ShownQueue["activity"] = "busy"): ShownQueue => ({
  activity,
  waiting: Array.from({ length: count }, (_, at) => ({
    id: `p${at + 1}`,
    text: `Do ${at + 1}`,
    files: 0,
  })),
  length: count,
});

const lines = (queue: ShownQueue | null, chosenId: string | null, rows = 10, width = 60) =>
  renderQueueLines({ queue, chosenId, trouble: null }, width, rows).map(toPlainText);

test("says what waits and when it is sent, with the chosen prompt marked", () => {
  expect(lines(createQueue(2), "p2")).toEqual(
    [
      "2 prompts wait; the first is sent when the session has settled.",
      "  1  Do 1",
      "› 2  Do 2",
    ].map((line) => (line.length > 60 ? `${line.slice(0, 59)}…` : line)),
  );
  expect(lines(createQueue(1, "idle"), "p1")[0]).toBe(
    "1 prompt waits on hold; resume or send a prompt to continue.",
  );
});

test("an empty queue and one that is not read yet are named", () => {
  expect(lines(createQueue(0), null)).toEqual(["The queue is empty."]);
  expect(lines(null, null)).toEqual(["Reading …"]);
});

test("only keys that do something are shown", () => {
  const keys = (queue: ShownQueue | null) => selectKeys(queue).map(([key]) => key);
  expect(keys(null)).toEqual(["esc"]);
  expect(keys(createQueue(0))).toEqual(["a", "esc"]);
  expect(keys(createQueue(1))).toEqual(["a", "e", "d", "esc"]);
  expect(keys(createQueue(2))).toEqual(["↑ ↓", "shift ↑ ↓", "a", "e", "d", "esc"]);
});

test("a long queue keeps the chosen prompt in view, in no more rows than there are", () => {
  for (const chosen of [1, 5, 12, 30]) {
    const shown = lines(createQueue(30), `p${chosen}`, 8);
    expect(shown.length).toBeLessThanOrEqual(8);
    expect(shown.filter((line) => line.startsWith("›"))).toEqual([
      `› ${String(chosen).padStart(2)}  Do ${chosen}`,
    ]);
    expect(shown.at(-1)).toBe("  … 24 not shown here");
  }
});

test("a prompt is one row, whatever is in it, and drives no terminal", () => {
  const text = `Two\nlines \u001b[31mred ${"and more ".repeat(20)}`;
  const queue: ShownQueue = { activity: "busy", waiting: [{ id: "a", text, files: 2 }], length: 1 };
  const [, row = ""] = lines(queue, "a", 10, 40);
  expect(row).toStartWith("› 1  Two lines \\x1b[31mred");
  expect(row).toHaveLength(40);
  expect(row).not.toContain("\u001b");
  const spaced = { ...queue, waiting: [{ id: "a", text: "\n Two  \n", files: 1 }] };
  expect(lines(spaced, "a")[1]).toBe("› 1  Two (with 1 file)");
  const files = { ...queue, waiting: [{ id: "a", text: "", files: 2 }] };
  expect(lines(files, "a")[1]).toBe("› 1  (with 2 files)");
});

test("what went wrong stands below, within the rows", () => {
  const state = {
    queue: createQueue(30),
    chosenId: "p1",
    trouble: "The queue can't be read: gone.",
  };
  const shown = renderQueueLines(state, 60, 8);
  expect(shown).toHaveLength(8);
  expect(shown.at(-1)).toEqual([{ tone: "error", text: "The queue can't be read: gone." }]);
});
