// Lines in the host's own colours.
import type { TuiThemeCurrent } from "@opencode-ai/plugin/tui";
import { type RGBA, StyledText, TextAttributes } from "@opentui/core";
import type { Line, Segment, Tone } from "./line.ts";

const LINE_END: Segment = { tone: "text", text: "\n" };

/** Lines in the host's own colours. */
export function paint(lines: readonly Line[], theme: TuiThemeCurrent): StyledText {
  const segments = lines.flatMap((line, index): Line => (index === 0 ? line : [LINE_END, ...line]));
  return new StyledText(segments.map((each) => chunk(each, theme)));
}

function chunk({ text, tone }: Segment, theme: TuiThemeCurrent) {
  const attributes = tone === "title" ? TextAttributes.BOLD : TextAttributes.NONE;
  return { __isChunk: true as const, text, fg: colourOf(tone, theme), attributes };
}

function colourOf(tone: Tone, theme: TuiThemeCurrent): RGBA {
  switch (tone) {
    case "title":
    case "text":
      return theme.text;
    case "muted":
      return theme.textMuted;
    case "good":
      return theme.success;
    case "warning":
      return theme.warning;
    case "error":
      return theme.error;
    case "tools":
      return theme.secondary;
    case "baseline":
      return theme.primary;
    case "history":
      return theme.success;
    case "updates":
      return theme.accent;
    case "conversation":
      return theme.info;
  }
}
