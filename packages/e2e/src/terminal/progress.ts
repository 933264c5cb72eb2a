// Reports the progress of a long run.

/** Where progress is shown: a terminal's stream, or a pipe. */
export interface ProgressSink {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Says how far a long run has come. */
export interface Progress {
  /** `live`: all there is to say now, on one line. `step`: what has just happened. */
  update(live: string, step: string): void;
  /** Clears what would stand in the way of the results. */
  end(): void;
}

const CLEAR_LINE = "\r\x1b[2K";
const DEFAULT_COLUMNS = 80;

/** On a terminal one line that is rewritten; on a pipe a line for each step. */
export function progressOn(sink: ProgressSink): Progress {
  if (sink.isTTY !== true) {
    return {
      update: (_live, step) => void sink.write(`${step}\n`),
      end: () => undefined,
    };
  }
  return {
    update: (live) => {
      // A line that wraps could not be cleared again.
      const room = (sink.columns ?? DEFAULT_COLUMNS) - 1;
      sink.write(`${CLEAR_LINE}${[...live].slice(0, room).join("")}`);
    },
    end: () => void sink.write(CLEAR_LINE),
  };
}

const CELLS = 12;

/** `━━━━━━──────  6/12` */
export function gauge(done: number, total: number): string {
  const filled = total === 0 ? 0 : Math.round((done / total) * CELLS);
  const count = `${done}/${total}`.padStart(String(total).length * 2 + 1);
  return `${"━".repeat(filled)}${"─".repeat(CELLS - filled)} ${count}`;
}
