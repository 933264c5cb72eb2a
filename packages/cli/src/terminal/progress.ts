// Reports the progress of long work.
import type { Terminal } from "./terminal.ts";

/** Shows how far something long has come. */
export interface Progress {
  /** Says what is being done now. */
  step(text: string): void;
  /** Clears what would stand in the way of the result. Must be called, once. */
  end(): void;
}

/** Delays the spinner, which shorter work does not need. */
const APPEARS_AFTER_MS = 500;
/** Delays the first line on a pipe, where it would stay. */
const WRITTEN_AFTER_MS = 1_000;
const FRAME_MS = 100;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const CLEAR_LINE = "\r\x1b[2K";

/** Shows progress on `err`: on a terminal one line that is rewritten, on a pipe a line for each step. */
function startProgress(terminal: Terminal, text: string): Progress {
  return terminal.err.isTTY === true ? spinner(terminal, text) : lines(terminal, text);
}

/** Shows `text` while `work` takes its time. */
export async function withProgress<T>(
  terminal: Terminal,
  text: string,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const progress = startProgress(terminal, text);
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
}

function spinner(terminal: Terminal, text: string): Progress {
  const began = performance.now();
  const width = (terminal.err.columns ?? terminal.columns) - 1;
  let current = text;
  let frame = 0;
  let isShown = false;
  const timer = setInterval(() => {
    if (performance.now() - began < APPEARS_AFTER_MS) return;
    isShown = true;
    frame = (frame + 1) % FRAMES.length;
    // A line that wraps could not be cleared again.
    const line = [...`${FRAMES[frame]} ${current}`].slice(0, width).join("");
    terminal.err.write(CLEAR_LINE + line);
  }, FRAME_MS);
  timer.unref();
  return {
    step: (next) => {
      current = next;
    },
    end: () => {
      clearInterval(timer);
      if (isShown) terminal.err.write(CLEAR_LINE);
    },
  };
}

function lines(terminal: Terminal, text: string): Progress {
  let current = text;
  let hasPrinted = false;
  const print = () => terminal.err.write(`${current} …\n`);
  const timer = setTimeout(() => {
    hasPrinted = true;
    print();
  }, WRITTEN_AFTER_MS);
  timer.unref();
  return {
    step: (next) => {
      current = next;
      if (hasPrinted) print();
    },
    end: () => clearTimeout(timer),
  };
}
