// Says where a command prints, and if a user can answer.
// Folder: Output: tables, colours, diffs, questions.

import { makeJsonVisible } from "@session-runtime/opencode/status/wording";
import { type Style, styleFor, visibleButStyle } from "./style.ts";

/** Receives text. */
export interface Sink {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** Holds a command's streams: results go to `out`, progress and complaints to `err`. */
export interface Terminal {
  readonly out: Sink;
  readonly err: Sink;
  readonly style: Style;
  readonly errStyle: Style;
  readonly columns: number;
  /** Says whether a user is there to answer a question. */
  readonly isInteractive: boolean;
  readonly env: NodeJS.ProcessEnv;
}

const DEFAULT_COLUMNS = 80;

/** Creates each stream when it is first used: Bun takes some milliseconds for one. */
export function processTerminal(): Terminal {
  const { stdout, env } = process;
  return {
    out: stdout,
    get err() {
      return process.stderr;
    },
    style: styleFor(stdout, env),
    get errStyle() {
      return styleFor(process.stderr, env);
    },
    columns: stdout.columns ?? DEFAULT_COLUMNS,
    get isInteractive() {
      return process.stdin.isTTY === true && stdout.isTTY === true && !env.CI;
    },
    env,
  };
}

/** The one way to print a result: nothing in it but our own colours acts on the terminal. */
export function printLine(terminal: Terminal, text: string): void {
  terminal.out.write(`${visibleButStyle(text)}\n`);
}

/** The one way to print what `--json` asks for. */
export function printJson(terminal: Terminal, value: unknown): void {
  terminal.out.write(`${makeJsonVisible(JSON.stringify(value, null, 2))}\n`);
}

/** Prints the value as one line of a stream of JSON. */
export function printJsonLine(terminal: Terminal, value: unknown): void {
  terminal.out.write(`${makeJsonVisible(JSON.stringify(value))}\n`);
}
