// Declares a feature's slash command and its CLI command; neither makes a model call.
import type { Config } from "../config/schema.ts";
import type { RenderCommandLine } from "../log/notices.ts";
import type { CommandReport, ReportDeps } from "../status/report.ts";
import type { Driver } from "../storage/driver.ts";
import type { SessionId } from "../storage/records.ts";

/** A command as it is listed by the host and in the terminal UI's palette. */
export interface CommandDeclaration {
  /** The name without the slash. */
  readonly name: string;
  /**
   * The command's names in the previous version: they still work, with a notice, and our lists leave them
   * out.
   */
  readonly formerNames?: readonly string[];
  /** A title of a word or two, for the palette and above the command's dialog. */
  readonly title: string;
  /** The description, which begins with what the command does. */
  readonly description: string;
  /**
   * The dialog that a terminal UI showing the session opens in place of a message: the report, the queue, or
   * the command's answer if that is longer than a line.
   */
  readonly shows: "report" | "queue" | "answer";
}

/** The text after a command's name, and the files that were attached to it. */
export interface CommandCall {
  readonly sessionId: SessionId;
  readonly args: string;
  readonly files: readonly Readonly<Record<string, unknown>>[];
  /** `ends`: the process is `opencode run --command`, which ends with the command. */
  readonly process: "stays" | "ends";
}

/** The result of an action, for the user. */
export interface ActionAnswer {
  readonly text: string;
  /** `conversation`: a prompt being sent shows the answer. `note`: nothing else shows the answer. */
  readonly shownBy: "conversation" | "note";
}

/** A command that reports on a session; while the session is busy, the report waits. */
export interface ReportCommand {
  readonly kind: "report";
  readonly name: string;
  /** The dialog that shows the same report if a terminal UI is watching; null if there is none. */
  readonly dialog: (args: string) => DialogName | null;
  readonly report: (deps: ReportDeps) => CommandReport | Promise<CommandReport>;
}

/** A command that does something at once, whether the session is busy or not. */
export interface ActionCommand {
  readonly kind: "action";
  readonly name: string;
  /** Chooses the dialog, as `dialog` of a report command does. */
  readonly dialog: (args: string) => DialogName | null;
  readonly act: (call: CommandCall) => Promise<ActionAnswer>;
}

/** A command that can be answered. */
export type OpenCommand = ReportCommand | ActionCommand;

/** A dialog's name, which is that of its slash command without the slash; features add their own. */
export type DialogName = string;

/** Splits off the first word of a command's text. */
export function splitFirstWord(words: string): readonly [word: string, rest: string] {
  const [, word = "", rest = ""] = /^\s*(\S*)\s*([\s\S]*?)\s*$/.exec(words) ?? [];
  return [word, rest];
}

// Declares a feature's CLI command: it queries the database and answers with values.

/** A subcommand of `session-runtime`, as the help lists it; its code is loaded when it is called. */
export interface CliCommand {
  readonly name: string;
  /**
   * The command's names in the previous version: they still work, with a line on standard error, and no help
   * lists them.
   */
  readonly formerNames?: readonly string[];
  /** Describes the command in a sentence. */
  readonly summary: string;
  readonly load: () => Promise<CliCommandCode>;
}

/**
 * `session`: a session's id or part of it. The command gets the whole id, or that of the folder's newest
 * session if the argument is left out.
 */
type CliArgument = { readonly type: "session" } | CliArgumentDefinition;

type CliArgumentDefinition = { readonly description: string } & (
  | { readonly type: "boolean" }
  | { readonly type: "string"; readonly valueHint: string }
  | { readonly type: "positional"; readonly required: boolean }
);

export interface CliCommandCode {
  /** The lines of the command's help beyond the summary; may be empty. */
  readonly details: readonly string[];
  /** The command's own arguments; `db` and `json` are added to every command. */
  readonly args: Readonly<Record<string, CliArgument>>;
  /** Command lines to copy, each with a description of what it does. */
  readonly examples: readonly { readonly line: string; readonly does: string }[];
  /** How the database is opened for the command; `makes`: for writing, and created if there is none. */
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
  /** Renders a command of the command line as the person who asks can type it. */
  readonly typed: RenderCommandLine;
}

export interface CliAnswer {
  readonly text: string;
  /** The same answer as an object, for `--json`. */
  readonly values: object;
}
