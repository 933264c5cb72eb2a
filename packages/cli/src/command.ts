// Defines a subcommand and its typed arguments.
import { type ArgsDef, type ParsedArgs, parseArgs } from "citty";
import type { ExitCode } from "./cli-error.ts";
import { checkArguments } from "./strict-arguments.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** Holds a line to copy, and what it does. */
export interface Example {
  readonly line: string;
  readonly does: string;
}

/** Describes a subcommand: its help, and its work. */
export interface Command {
  readonly name: string;
  /** A sentence for the list of commands. */
  readonly summary: string;
  /** Further lines of its help, each complete; may be empty. */
  readonly details: readonly string[];
  readonly args: ArgsDef;
  readonly examples: readonly Example[];
  run(words: readonly string[], terminal: Terminal): Promise<ExitCode>;
}

/** Describes a command in the list of all, before it is loaded. */
export interface CatalogueEntry {
  readonly name: string;
  readonly formerNames?: readonly string[];
  readonly summary: string;
  /** `sqlite` commands run in another process where this Node has no SQLite. */
  readonly needs: "nothing" | "sqlite";
  /** Loads a command's code only when it is called, which makes most commands start much faster. */
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

/** Builds a command whose arguments are checked and typed by its `args`. */
export function command<const T extends ArgsDef>(definition: Definition<T>): Command {
  return {
    ...definition,
    run: async (words, terminal) => {
      checkArguments(words, definition.args, definition.name);
      return definition.run(parseArgs<T>([...words], definition.args), terminal);
    },
  };
}
