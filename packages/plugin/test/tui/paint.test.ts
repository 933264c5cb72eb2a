import { expect, test } from "bun:test";
import type { TuiThemeCurrent } from "@opencode-ai/plugin/tui";
import { RGBA, TextAttributes } from "@opentui/core";
import type { Tone } from "../../src/tui/line.ts";
import { paint } from "../../src/tui/paint.ts";

/** A theme whose every token has a colour of its own. */
const made = new Map<string | symbol, RGBA>();
const theme = new Proxy({} as TuiThemeCurrent, {
  get(_target, token) {
    const colour = made.get(token) ?? RGBA.fromInts(made.size + 1, 0, 0);
    made.set(token, colour);
    return colour;
  },
});

const TONES: readonly Tone[] = [
  "title",
  "text",
  "muted",
  "good",
  "warning",
  "error",
  "tools",
  "baseline",
  "updates",
  "conversation",
];

test("every tone has a colour of the theme; only a title shares its colour, and is bold", () => {
  const { chunks } = paint([TONES.map((tone) => ({ tone, text: tone }))], theme);
  expect(chunks.map(({ text }) => text)).toEqual([...TONES]);
  const [title, text, ...others] = chunks;
  expect(title?.fg).toBe(theme.text);
  expect(title?.attributes).toBe(TextAttributes.BOLD);
  expect(text?.attributes).toBe(TextAttributes.NONE);
  expect(new Set([text, ...others].map((chunk) => chunk?.fg)).size).toBe(TONES.length - 1);
});

test("lines stand below each other, and nothing is drawn of no lines", () => {
  const line = [{ tone: "text", text: "a" }] as const;
  const drawn = paint([line, line], theme).chunks.map(({ text }) => text);
  expect(drawn.join("")).toBe("a\na");
  expect(paint([], theme).chunks).toEqual([]);
});
