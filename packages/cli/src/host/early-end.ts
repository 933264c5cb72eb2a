// Cleans up when the process is ended early.

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** As shells count: 128 and the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Does `cleanUp` when the process ends before the returned function is called, by Ctrl-C too: a
 * process that a signal ends says nothing, and would leave its hosts and folders running.
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
