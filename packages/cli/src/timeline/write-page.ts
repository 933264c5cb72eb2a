// Where a page is written: over no file that is there, unless the user says so.
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { confirm } from "@clack/prompts";
import { CliError, EXIT } from "../cli-error.ts";
import { codeOf, systemReason } from "../system-error.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface PageWish {
  /** Null: a file of its own in the system's temporary folder. */
  readonly name: string | null;
  readonly whenThere: "ask" | "overwrite" | "refuse";
}

interface PageFile {
  readonly path: string;
  /** `wx` fails where a file has come up meanwhile. */
  readonly flag: "w" | "wx";
}

/** Asks before the session is read: nobody waits for a page that is then refused. */
export async function fileFor(
  { name, whenThere }: PageWish,
  { isInteractive }: Terminal,
): Promise<PageFile> {
  if (name === null) {
    const folder = mkdtempSync(join(tmpdir(), "session-runtime-timeline-"));
    return { path: join(folder, "timeline.html"), flag: "wx" };
  }
  const path = resolve(name);
  if (whenThere === "overwrite") return { path, flag: "w" };
  if (!existsSync(path)) return { path, flag: "wx" };
  if (whenThere === "refuse" || !isInteractive) throw fileExists(path);
  const message = `${path} already exists. Overwrite it?`;
  if ((await confirm({ message, initialValue: false })) === true) return { path, flag: "w" };
  throw new CliError("cancelled", "Nothing was written.", "", EXIT.cancelled);
}

/** For the owner alone, as the database is: it holds titles and folders. */
export function writePage({ path, flag }: PageFile, page: string): void {
  try {
    writeFileSync(path, page, { flag, mode: 0o600 });
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw fileExists(path);
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(
      "page-unwritable",
      `The page can't be written: ${systemReason(error) ?? reason}.`,
      "With --html, name a file in a folder that exists and that you can write to.",
    );
  }
}

function fileExists(path: string): CliError {
  return new CliError(
    "file-exists",
    `${path} already exists.`,
    "Overwrite it with --force, or name another file with --html.",
  );
}
