// Opens a page in the user's browser, by the system's own program.
import { spawn } from "node:child_process";
import { CliError, EXIT } from "../cli-error.ts";
import type { Environment } from "../host/places.ts";

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
