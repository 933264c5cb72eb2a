// `opencode run --command`: a process that runs one command and ends.

/** Whether this process ends with its command, by its arguments; attached, the server goes on. */
export function isOneShot(argv: readonly string[]): boolean {
  const has = (option: string) =>
    argv.some((argument) => argument === option || argument.startsWith(`${option}=`));
  return argv.includes("run") && has("--command") && !has("--attach");
}

/** `opencode run` puts quotes around an argument with spaces (1.18.33): a text in one argument loses them. */
export function withoutQuotes(args: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/s.exec(args)?.[1];
  return quoted === undefined ? args : quoted.replaceAll('\\"', '"');
}

/**
 * Prints an answer on standard output. OpenCode takes the end of our commands for a failure and
 * exits with 1: that code is put right as the process exits.
 */
export function print(answer: string): void {
  process.stdout.write(`${answer}\n`);
  // By then the code is taken (Bun 1.3.14), and `exitCode` changes nothing any more.
  process.once("exit", () => process.exit(0));
}
