// Writes a command's file for its owner alone, and overwrites an existing one only if the user agrees.
import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { confirm } from "@clack/prompts";
import { CliError, EXIT } from "../cli-error.ts";
import { errorCode, systemReason } from "../system-error.ts";
import type { Terminal } from "./terminal.ts";

export interface OutputWish {
  /** The name from the user, or the command's default. */
  readonly name: string;
  /** The flag that names another file. */
  readonly flag: "--html" | "--out";
  readonly whenThere: "ask" | "overwrite" | "refuse";
}

export interface OutputFile {
  readonly path: string;
  /** The mode `wx` fails where a file has appeared in the meantime. */
  readonly mode: "w" | "wx";
  /** The flag that names another file. */
  readonly flag: "--html" | "--out";
}

/** Decides by a command's flags what to do with an existing file; a script is never asked. */
export function whenThere(args: {
  readonly force?: boolean | undefined;
  readonly json?: boolean | undefined;
}): OutputWish["whenThere"] {
  if (args.force === true) return "overwrite";
  return args.json === true ? "refuse" : "ask";
}

/** Returns the file to write. @throws CliError where it exists and may not be overwritten */
export async function outputFile(
  { name, flag, whenThere }: OutputWish,
  { isInteractive }: Terminal,
): Promise<OutputFile> {
  const path = resolve(name);
  if (whenThere === "overwrite") return { path, flag, mode: "w" };
  if (!existsSync(path)) return { path, flag, mode: "wx" };
  if (whenThere === "refuse" || !isInteractive) throw fileExists(path, flag);
  const message = `${path} already exists. Overwrite it?`;
  if ((await confirm({ message, initialValue: false })) === true) return { path, flag, mode: "w" };
  throw new CliError("cancelled", "Nothing was written.", "", EXIT.cancelled);
}

/** Writes the file for its owner alone, like the database that its content comes from. @throws CliError */
export function writeOutput({ path, mode, flag }: OutputFile, text: string): void {
  try {
    writeFileSync(path, text, { flag: mode, mode: 0o600 });
  } catch (error) {
    if (errorCode(error) === "EEXIST") throw fileExists(path, flag);
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(
      "file-unwritable",
      `${path} can't be written: ${systemReason(error) ?? reason}.`,
      `With ${flag}, name a file in a folder that exists and that you can write to.`,
    );
  }
}

function fileExists(path: string, flag: OutputFile["flag"]): CliError {
  return new CliError(
    "file-exists",
    `${path} already exists.`,
    `Overwrite it with --force, or name another file with ${flag}.`,
  );
}
