// Runs the command line's words and returns an exit code.
import { makeLinesVisible } from "@session-runtime/opencode/status/wording";
import { findEntry, loadCatalogue } from "./catalogue.ts";
import { CliError, EXIT, type ExitCode, misuse } from "./cli-error.ts";
import { hasSqlite } from "./database/sqlite.ts";
import { commandHelp, rootHelp } from "./help.ts";
import { typed } from "./invocation.ts";
import { nearest } from "./strict-arguments.ts";
import { systemRefusal } from "./system-error.ts";
import { printJson, type Terminal } from "./terminal/terminal.ts";
import { fitted } from "./terminal/wrap.ts";

/** Runs what the words of the command line ask for, and returns the process's exit code. */
export async function run(
  words: readonly string[],
  terminal: Terminal,
  version: string,
): Promise<ExitCode> {
  try {
    return await dispatch(words, terminal, version);
  } catch (error) {
    const failure = error instanceof CliError ? error : (systemRefusal(error) ?? unforeseen(error));
    report(failure, words, terminal);
    return failure.exitCode;
  }
}

async function dispatch(
  words: readonly string[],
  terminal: Terminal,
  version: string,
): Promise<ExitCode> {
  const [first, ...rest] = words;
  if (first === undefined || first === "--help" || first === "-h" || isHelpAlone(words)) {
    terminal.out.write(rootHelp(terminal.style, version, await loadCatalogue()));
    return EXIT.done;
  }
  if (first === "--version" || first === "-v") {
    terminal.out.write(`${version}\n`);
    return EXIT.done;
  }
  const [name, args] =
    first === "help" ? [rest[0] ?? "", ["--help", ...rest.slice(1)]] : [first, rest];
  const entry = await entryNamed(name);
  const isHelp = asksForHelp(args);
  if (entry.needs === "sqlite" && !isHelp && !hasSqlite()) {
    const { rerunUnderBun } = await import("./database/rerun.ts");
    return rerunUnderBun(terminal);
  }
  if (entry.name !== name) {
    const renamed = `"${name}" is now called "${entry.name}"; the old name works in this version only.`;
    terminal.err.write(`${fitted(renamed, terminal.err)}\n`);
  }
  const command = await entry.load();
  if (isHelp) {
    terminal.out.write(commandHelp(command, terminal.style));
    return EXIT.done;
  }
  return command.run(args, terminal);
}

function isHelpAlone(words: readonly string[]): boolean {
  return words.length === 1 && words[0] === "help";
}

function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  const before = end === -1 ? words : words.slice(0, end);
  return before.includes("--help") || before.includes("-h");
}

async function entryNamed(name: string) {
  const entry = await findEntry(name);
  if (entry !== undefined) return entry;
  const meant = nearest(
    name,
    (await loadCatalogue()).map((candidate) => candidate.name),
  );
  throw misuse(
    `There is no command "${name}".`,
    `${meant === undefined ? "" : `Did you mean ${meant}? `}${typed("--help")} lists all commands.`,
  );
}

/** Reports an unexpected error with everything that its authors need. */
function unforeseen(error: unknown): CliError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const places = (stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return new CliError(
    "unforeseen",
    `This should not have happened: ${message}`,
    ["Please open an issue with these lines, and say what you did.", ...places].join("\n  "),
  );
}

/** Reports an error. With --json it is JSON too, on `out`, so that a script reads one place. */
function report(error: CliError, words: readonly string[], terminal: Terminal): void {
  const { code } = error;
  const [message, advice] = [makeLinesVisible(error.message), makeLinesVisible(error.advice)];
  if (words.includes("--json")) {
    printJson(terminal, { error: { code, message, advice } });
    return;
  }
  const { bad, dim } = terminal.errStyle;
  if (error.exitCode === EXIT.cancelled) {
    terminal.err.write(`${message}\n`);
    return;
  }
  const said = fitted(`error: ${message}`, terminal.err).replace("error:", bad("error:"));
  const advised = fitted(`  ${advice}`, terminal.err)
    .split("\n")
    .map((line) => dim(line));
  terminal.err.write(`${[said, ...(advice === "" ? [] : advised)].join("\n")}\n`);
}
