// The timeline's page as a file: a temporary one, its script, and the browser that opens it.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CliError, EXIT } from "../cli-error.ts";
import type { Environment } from "../host/places.ts";
import type { OutputFile } from "../terminal/output-file.ts";

/** A file of its own in the system's temporary folder, for a page that is only looked at. */
export function temporaryPage(): OutputFile {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-timeline-"));
  return { path: join(folder, "timeline.html"), mode: "wx", flag: "--html" };
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
