// Colours, where a terminal supports them.

/** Dresses text for a terminal, or leaves it as it is. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  bad(text: string): string;
}

interface Sink {
  readonly isTTY?: boolean;
}

const PLAIN: Style = { bold: same, dim: same, good: same, bad: same };

const COLOURED: Style = {
  bold: (text) => `\x1b[1m${text}\x1b[22m`,
  dim: (text) => `\x1b[2m${text}\x1b[22m`,
  good: (text) => `\x1b[36m${text}\x1b[39m`,
  bad: (text) => `\x1b[33m${text}\x1b[39m`,
};

/** Colours on a terminal only, and never where NO_COLOR is set (no-color.org). */
export function styleFor(sink: Sink, env: NodeJS.ProcessEnv): Style {
  return sink.isTTY === true && !env.NO_COLOR ? COLOURED : PLAIN;
}

function same(text: string): string {
  return text;
}
