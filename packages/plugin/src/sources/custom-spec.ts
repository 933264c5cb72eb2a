// A custom source as configured: its origin and its wording.
import { NotJsonError } from "../context/canonical.ts";
import type { SourceKey } from "../context/key.ts";

// Describes an error that a source's own code threw, without quoting its message.

/**
 * Describes an error from a source's code for the log, notices and status: our own message, or else its class
 * and code. Other messages are left out, because those of parsers, servers and other plugins quote their
 * input. A source that has a message for the user returns `unavailable(reason)`.
 */
export function describeFailure(what: string, error: unknown): string {
  if (error instanceof NotJsonError) return error.message;
  if (!(error instanceof Error)) return `${what} threw no error but a ${typeof error}`;
  const code = "code" in error && typeof error.code === "string" ? ` ${error.code}` : "";
  return `${what} threw ${error.name}${code}`;
}

/** Holds a command to start: a program with its arguments, or a line for `/bin/sh`. */
export type CommandLine =
  | { readonly kind: "words"; readonly program: string; readonly words: readonly string[] }
  | { readonly kind: "shell"; readonly line: string };

/** Says where a user's own source is read from. Paths are relative to the Location's directory. */
export type Origin =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "glob"; readonly pattern: string }
  | { readonly kind: "variable"; readonly name: string }
  | {
      readonly kind: "command";
      readonly line: CommandLine;
      /** Variables that the command receives besides PATH, HOME and LANG. */
      readonly passEnv: readonly string[];
      /** The output counts as old after this time; with 0 the command runs at every call. */
      readonly refreshMs: number;
    };

/** Holds templates; `{value}` and `{previous}` insert the current and the previous value. */
interface CustomSourceTexts {
  readonly baseline: string;
  readonly update: string;
  readonly removed: string;
}

/** A Context Source that the user has configured. */
export interface CustomSourceSpec {
  readonly key: SourceKey;
  readonly origin: Origin;
  /**
   * The time after which a command is killed, or after which any other source counts as unavailable at this
   * call; null if the entry sets none.
   */
  readonly timeoutMs: number | null;
  readonly maxBytes: number;
  /** Says whether prompts wait for the source, as they do if `onUnavailable` is `block`. */
  readonly need: "required" | "optional";
  readonly texts: CustomSourceTexts;
}

/** An entry of the configuration, which has exactly one of the four origins. */
export interface CustomSourceEntry {
  readonly file?: string | undefined;
  readonly glob?: string | undefined;
  readonly env?: string | undefined;
  readonly command?: readonly string[] | { readonly shell: string } | undefined;
  readonly passEnv?: readonly string[] | undefined;
  readonly refreshMs?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxBytes?: number | undefined;
  readonly required?: boolean | undefined;
  readonly baseline?: string | undefined;
  readonly update?: string | undefined;
  readonly removed?: string | undefined;
}

/** Holds defaults for an entry. */
export const customSourceDefaults = {
  refreshMs: 10_000,
  commandTimeoutMs: 10_000,
  maxBytes: 65_536,
} as const;

export function toCustomSourceSpec(key: SourceKey, entry: CustomSourceEntry): CustomSourceSpec {
  const origin = parseOrigin(entry);
  const { maxBytes } = customSourceDefaults;
  return {
    key,
    origin,
    timeoutMs: entry.timeoutMs ?? null,
    maxBytes: entry.maxBytes ?? maxBytes,
    need: entry.required === true ? "required" : "optional",
    texts: {
      baseline: entry.baseline ?? `${key}:\n{value}`,
      update: entry.update ?? `${key} has changed. It is now:\n{value}`,
      removed: entry.removed ?? `${key} no longer applies.`,
    },
  };
}

function parseOrigin(entry: CustomSourceEntry): Origin {
  if (entry.file !== undefined) return { kind: "file", path: entry.file };
  if (entry.glob !== undefined) return { kind: "glob", pattern: entry.glob };
  if (entry.env !== undefined) return { kind: "variable", name: entry.env };
  return {
    kind: "command",
    line: toCommandLine(entry.command ?? []),
    passEnv: entry.passEnv ?? [],
    refreshMs: entry.refreshMs ?? customSourceDefaults.refreshMs,
  };
}

function toCommandLine(command: readonly string[] | { readonly shell: string }): CommandLine {
  if ("shell" in command) return { kind: "shell", line: command.shell };
  const [program = "", ...words] = command;
  return { kind: "words", program, words };
}
