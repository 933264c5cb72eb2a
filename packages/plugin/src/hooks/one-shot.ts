// Supports `opencode run --command`, a process that runs one command and ends.

/** Says by its arguments whether this process ends with its command; if attached, the server goes on. */
export function isOneShot(argv: readonly string[]): boolean {
  const has = (option: string) =>
    argv.some((argument) => argument === option || argument.startsWith(`${option}=`));
  return argv.includes("run") && has("--command") && !has("--attach");
}

/** Removes the quotes that `opencode run` puts around an argument with spaces (1.18.33). */
export function withoutQuotes(args: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/s.exec(args)?.[1];
  return quoted === undefined ? args : quoted.replaceAll('\\"', '"');
}

/**
 * Prints an answer on standard output. OpenCode treats the end of our commands as a failure and exits with 1,
 * so the code is corrected as the process exits.
 */
export function print(answer: string): void {
  process.stdout.write(`${answer}\n`);
  // The exit code is fixed by then (Bun 1.3.14), and setting `exitCode` has no effect.
  process.once("exit", () => process.exit(0));
}
