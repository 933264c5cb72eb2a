// Declares a feature's slash command, which is answered without a model call.
import type { CommandReport, ReportDeps } from "../status/report.ts";
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
export function firstWord(words: string): readonly [word: string, rest: string] {
  const [, word = "", rest = ""] = /^\s*(\S*)\s*([\s\S]*?)\s*$/.exec(words) ?? [];
  return [word, rest];
}
