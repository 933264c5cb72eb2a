// The page's file: written over no file that is there unless the user says so, opened by the system; and its script.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { confirm } from "@clack/prompts";
import { CliError, EXIT } from "../cli-error.ts";
import type { Environment } from "../host/places.ts";
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

/** Some openers stay as long as the browser; what fails does so sooner. */
const FAILS_WITHIN_MS = 2_000;

/** @throws CliError where nothing here opens pages. */
export async function openPage(path: string, env: Environment): Promise<void> {
  const [program, ...words] = openerOf(process.platform, path);
  const child = spawn(program, words, { env, stdio: "ignore", detached: true });
  const isOpen = await new Promise<boolean>((settle) => {
    const timer = setTimeout(() => settle(true), FAILS_WITHIN_MS);
    const end = (isDone: boolean) => {
      clearTimeout(timer);
      settle(isDone);
    };
    child.once("error", () => end(false));
    child.once("exit", (code) => end(code === 0));
  });
  child.unref();
  if (isOpen) return;
  throw new CliError(
    "page-unopened",
    `The page is written, but ${program} could not open it.`,
    `Open it yourself: ${path}`,
    EXIT.missing,
  );
}

function openerOf(platform: NodeJS.Platform, path: string): readonly [string, ...string[]] {
  switch (platform) {
    case "darwin":
      return ["open", path];
    case "win32":
      // `start` is the shell's, whose quoting no path survives for sure.
      return ["rundll32", "url.dll,FileProtocolHandler", path];
    default:
      return ["xdg-open", path];
  }
}

/** As scripts/build-cli.mjs names it, beside the bundle. */
const FILE = "timeline-page.js";

/** The page's script with its chart library, which is bundled for the browser when this package is. */
export function pageScript(): string {
  const path = join(dirname(fileURLToPath(import.meta.url)), FILE);
  if (existsSync(path)) return readFileSync(path, "utf8");
  throw new CliError(
    "page-script-missing",
    `A file of this package is missing: ${path}.`,
    "Reinstall session-runtime.",
  );
}
