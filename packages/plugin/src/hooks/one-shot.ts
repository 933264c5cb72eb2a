// `opencode run --command`: a process that runs one command and ends.

/** Whether this process ends with its command, by its arguments; attached, the server goes on. */
export function isOneShot(argv: readonly string[]): boolean {
  const has = (option: string) =>
    argv.some((argument) => argument === option || argument.startsWith(`${option}=`));
  return argv.includes("run") && has("--command") && !has("--attach");
}

/**
 * Prints an answer on standard output. OpenCode takes the end of our commands for a failure and
 * exits with 1: that code is put right as the process exits.
 */
export function print(answer: string): void {
  process.stdout.write(`${answer}\n`);
  process.once("exit", () => {
    process.exitCode = 0;
  });
}
