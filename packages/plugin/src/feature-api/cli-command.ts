// Declares a feature's CLI command: it asks the database, and answers with values.
import type { Config } from "../config/schema.ts";
import type { RenderCommandLine } from "../log/command-line.ts";
import type { Driver } from "../storage/driver.ts";

/** A word of `session-runtime`, as the help lists it; its code loads when it is called. */
export interface CliCommand {
  readonly name: string;
  /** The names of the version before: they still work, with a line on standard error, and no help lists them. */
  readonly formerNames?: readonly string[];
  /** Describes the command in a sentence. */
  readonly summary: string;
  readonly load: () => Promise<CliCommandCode>;
}

/** `session`: a session's id, or part of one; it is given whole, and the newest of the folder if left out. */
type CliArgument = { readonly type: "session" } | CliArgumentDefinition;

type CliArgumentDefinition = { readonly description: string } & (
  | { readonly type: "boolean" }
  | { readonly type: "string"; readonly valueHint: string }
  | { readonly type: "positional"; readonly required: boolean }
);

export interface CliCommandCode {
  /** The lines that its help has beyond the summary; may be empty. */
  readonly details: readonly string[];
  /** `db` and `json` are there already. */
  readonly args: Readonly<Record<string, CliArgument>>;
  /** One line to copy, and what it does. */
  readonly examples: readonly { readonly line: string; readonly does: string }[];
  /** The way the database is opened for it; `makes`: for writing, and created where there is none. */
  readonly access: "reads" | "writes" | "makes";
  /** @throws UserFacingError */
  readonly run: (asked: CliCall) => CliAnswer | Promise<CliAnswer>;
}

export interface CliCall {
  /** The given options and arguments, by name. */
  readonly given: ReadonlyMap<string, string | boolean>;
  readonly driver: Driver;
  /** The directory that the command line was started in. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads the directory's configuration: the user's own files, the project's, the plugin's options. */
  readonly config: () => Promise<Config>;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** A command of the command line as whoever asks can type it. */
  readonly typed: RenderCommandLine;
}

export interface CliAnswer {
  readonly text: string;
  /** The same for `--json`. */
  readonly values: object;
}
