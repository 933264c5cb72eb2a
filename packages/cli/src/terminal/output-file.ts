// A file that a command writes: over none that is there unless the user says so, and for the owner alone.
import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { confirm } from "@clack/prompts";
import { CliError, EXIT } from "../cli-error.ts";
import { errorCode, systemReason } from "../system-error.ts";
import type { Terminal } from "./terminal.ts";

export interface OutputWish {
  /** As the user named it, or as the command would. */
  readonly name: string;
  /** The flag that names another one. */
  readonly flag: "--html" | "--out";
  readonly whenThere: "ask" | "overwrite" | "refuse";
}

export interface OutputFile {
  readonly path: string;
  /** `wx` fails where a file has come up meanwhile. */
  readonly mode: "w" | "wx";
  /** The flag that names another one. */
  readonly flag: "--html" | "--out";
}

/** What the flags of a command say; a script is never asked. */
export function whenThere(args: {
  readonly force?: boolean | undefined;
  readonly json?: boolean | undefined;
}): OutputWish["whenThere"] {
  if (args.force === true) return "overwrite";
  return args.json === true ? "refuse" : "ask";
}

/** @throws CliError where a file is there and nobody lets it go */
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

/** For the owner alone, as the database is: what it holds came from there. */
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
