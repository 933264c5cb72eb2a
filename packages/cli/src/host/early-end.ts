// Cleans up when the process is ended early.

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Maps signals to the exit codes that shells use: 128 plus the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Calls `cleanUp` when the process ends before the returned function is called, also by Ctrl-C: a process that a
 * signal ends runs no exit handler, so its hosts would keep running and its folders would stay.
 */
export function onEarlyEnd(cleanUp: () => void): () => void {
  const handlers = SIGNALS.map((signal) => {
    const end = () => process.exit(EXIT_CODES[signal]);
    process.on(signal, end);
    return { signal, end };
  });
  process.on("exit", cleanUp);
  return () => {
    process.off("exit", cleanUp);
    for (const { signal, end } of handlers) process.off(signal, end);
  };
}
