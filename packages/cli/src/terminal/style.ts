// Colours, where a terminal supports them.

import { makeLinesVisible } from "@session-runtime/opencode/status/wording";

/** Dresses text for a terminal, or leaves it as it is. */
export interface Style {
  readonly bold: Dress;
  readonly dim: Dress;
  readonly accent: Dress;
  readonly good: Dress;
  readonly warn: Dress;
  readonly bad: Dress;
}

type Dress = (text: string) => string;

interface Stream {
  readonly isTTY?: boolean;
}

/**
 * Says whether to colour a stream, as on a terminal. NO_COLOR (no-color.org) takes colours away, FORCE_COLOR (as Node
 * reads it: anything but 0 and false) brings them to a pipe; where both are set, NO_COLOR wins.
 */
function takesColour(stream: Stream, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return !["0", "false"].includes(env.FORCE_COLOR);
  return stream.isTTY === true && env.TERM !== "dumb";
}

export function styleFor(stream: Stream, env: NodeJS.ProcessEnv): Style {
  return takesColour(stream, env) ? COLOURED : PLAIN;
}

export const PLAIN: Style = {
  bold: same,
  dim: same,
  accent: same,
  good: same,
  warn: same,
  bad: same,
};

const COLOURED: Style = {
  bold: dress(1, 22),
  dim: dress(2, 22),
  accent: dress(36, 39),
  good: dress(32, 39),
  warn: dress(33, 39),
  bad: dress(31, 39),
};

/** Matches the sequences that the styles above use. */
const DRESSING = new RegExp(`(${"\x1b"}\\[(?:1|2|22|31|32|33|36|39)m)`);

/** Returns a styled text with every other control character made visible. */
export function visibleButStyle(text: string): string {
  return text
    .split(DRESSING)
    .map((piece, index) => (index % 2 === 1 ? piece : makeLinesVisible(piece)))
    .join("");
}

function dress(on: number, off: number): Dress {
  return (text) => `\x1b[${on}m${text}\x1b[${off}m`;
}

function same(text: string): string {
  return text;
}
