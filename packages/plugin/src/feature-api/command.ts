// Declares a feature's slash command and its CLI command; neither makes a model call.
import type { Config } from "../config/schema.ts";
import type { RenderCommandLine } from "../log/notices.ts";
import type { CommandReport, ReportDeps } from "../status/report.ts";
import type { Driver } from "../storage/driver.ts";
import type { SessionId } from "../storage/records.ts";

/** The entry of the host's list and of the terminal UI's palette. */
export interface CommandDeclaration {
  /** The name without the slash. */
  readonly name: string;
  /** Names of the version before: they still work, with a notice, and no list of ours has them. */
  readonly formerNames?: readonly string[];
  /** A word or two, for the palette and above its dialog. */
  readonly title: string;
  /** Begins with what it does. */
  readonly description: string;
  /**
   * The dialog that a terminal UI showing the session opens in place of a message: the report, the queue,
   * or the command's answer where that is more than a line.
   */
  readonly shows: "report" | "queue" | "answer";
}

/** The text after a command's name, and the files that were attached to it. */
export interface CommandCall {
  readonly sessionId: SessionId;
  readonly args: string;
  readonly files: readonly Readonly<Record<string, unknown>>[];
  /** `ends`: `opencode run --command`, which ends with it. */
  readonly process: "stays" | "ends";
}

/** The result of an action, for the user. */
export interface ActionAnswer {
  readonly text: string;
  /** `conversation`: a prompt that is sent shows it. `note`: nothing but the answer does. */
  readonly shownBy: "conversation" | "note";
}

/** A command that reports on a session; while the session is busy its report waits. */
export interface ReportCommand {
  readonly kind: "report";
  readonly name: string;
  /** The dialog that shows the same, where a terminal UI watches; null: there is none. */
  readonly dialog: (args: string) => DialogName | null;
  readonly report: (deps: ReportDeps) => CommandReport | Promise<CommandReport>;
}

/** A command that does something at once, whether the session is busy or not. */
export interface ActionCommand {
  readonly kind: "action";
  readonly name: string;
  /** Chooses the dialog, as for a report. */
  readonly dialog: (args: string) => DialogName | null;
  readonly act: (call: CommandCall) => Promise<ActionAnswer>;
}

/** A command that can be answered. */
export type OpenCommand = ReportCommand | ActionCommand;

/** A slash command that opens as a dialog, without the slash; features bring theirs. */
export type DialogName = string;

/** Splits off the first word of a command's text. */
export function splitFirstWord(words: string): readonly [word: string, rest: string] {
  const [, word = "", rest = ""] = /^\s*(\S*)\s*([\s\S]*?)\s*$/.exec(words) ?? [];
  return [word, rest];
}

// Declares a feature's CLI command: it asks the database, and answers with values.

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
