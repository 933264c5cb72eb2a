// Lines in the host's own colours.
import type { TuiThemeCurrent } from "@opencode-ai/plugin/tui";
import { StyledText, TextAttributes } from "@opentui/core";
import type { Line, Segment, Tone } from "./line.ts";

const LINE_END: Segment = { tone: "text", text: "\n" };

/** Renders lines in the host's own colours. */
export function paint(lines: readonly Line[], theme: TuiThemeCurrent): StyledText {
  const segments = lines.flatMap((line, index): Line => (index === 0 ? line : [LINE_END, ...line]));
  return new StyledText(segments.map((each) => toChunk(each, theme)));
}

function toChunk({ text, tone }: Segment, theme: TuiThemeCurrent) {
  const attributes = tone === "title" ? TextAttributes.BOLD : TextAttributes.NONE;
  return { __isChunk: true as const, text, fg: theme[TONE_COLOURS[tone]], attributes };
}

const TONE_COLOURS = {
  title: "text",
  text: "text",
  muted: "textMuted",
  good: "success",
  warning: "warning",
  error: "error",
  tools: "secondary",
  baseline: "primary",
  history: "success",
  updates: "accent",
  conversation: "info",
} as const satisfies Record<Tone, keyof TuiThemeCurrent>;
