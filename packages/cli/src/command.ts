// What a subcommand is, and its typed arguments.
import { type ArgsDef, type ParsedArgs, parseArgs } from "citty";
import type { ExitCode } from "./cli-error.ts";
import { checkArguments } from "./strict-arguments.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** One line to copy, and what it does. */
export interface Example {
  readonly line: string;
  readonly does: string;
}

/** A subcommand: what its help says, and what it does. */
export interface Command {
  readonly name: string;
  /** In a sentence, for the list of commands. */
  readonly summary: string;
  /** What its help says beyond the summary, in whole lines; may be empty. */
  readonly details: readonly string[];
  readonly args: ArgsDef;
  readonly examples: readonly Example[];
  run(words: readonly string[], terminal: Terminal): Promise<ExitCode>;
}

/** A command in the list of all: what is known of it before it is loaded. */
export interface CatalogueEntry {
  readonly name: string;
  readonly formerNames?: readonly string[];
  readonly summary: string;
  /** Where this Node has no SQLite, another process does all the work of such a command. */
  readonly needs: "nothing" | "sqlite";
  /** A command's code is loaded only when it is called: most of them start much faster so. */
  load(): Promise<Command>;
}

interface Definition<T extends ArgsDef> extends Omit<Command, "args" | "run"> {
  readonly args: T;
  run(args: ParsedArgs<T>, terminal: Terminal): Promise<ExitCode>;
}

/** The flag that every command with a result takes. */
export const JSON_FLAG = {
  json: { type: "boolean", description: "Print the result as JSON, for scripts" },
} as const satisfies ArgsDef;

/** Makes a command whose words are checked and typed by its `args`. */
export function command<const T extends ArgsDef>(definition: Definition<T>): Command {
  return {
    ...definition,
    run: async (words, terminal) => {
      checkArguments(words, definition.args, definition.name);
      return definition.run(parseArgs<T>([...words], definition.args), terminal);
    },
  };
}
