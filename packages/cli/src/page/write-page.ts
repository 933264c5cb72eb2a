// Chooses the file for a command's page, a named or a temporary one, and opens it in the browser.
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CliError, EXIT } from "../cli-error.ts";
import type { Environment } from "../host/places.ts";
import { type OutputFile, outputFile, whenThere } from "../terminal/output-file.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Holds a command's `--html`, `--open`, `--force` and `--json`. */
interface PageWish {
  readonly html?: string | undefined;
  readonly open?: boolean | undefined;
  readonly force?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Returns the page's file; null where no page is wanted. `name` is the command's name. */
export async function pageFile(
  args: PageWish,
  name: "estimate" | "timeline",
  terminal: Terminal,
): Promise<OutputFile | null> {
  if (args.html === undefined) return args.open === true ? temporaryPage(name) : null;
  const wish = { name: args.html, flag: "--html", whenThere: whenThere(args) } as const;
  return outputFile(wish, terminal);
}

/** Returns a new file in the system's temporary folder, for a page that is only viewed. */
function temporaryPage(name: string): OutputFile {
  const folder = mkdtempSync(join(tmpdir(), `session-runtime-${name}-`));
  return { path: join(folder, `${name}.html`), mode: "wx", flag: "--html" };
}

/** Counts an opener as successful after this time: some run as long as the browser, and a failure comes sooner. */
const FAILS_WITHIN_MS = 2_000;

/** Opens the page in the browser. @throws CliError where no program here opens pages */
export async function openPage(path: string, env: Environment): Promise<void> {
  const [program, ...words] = openCommand(process.platform, path);
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

function openCommand(platform: NodeJS.Platform, path: string): readonly [string, ...string[]] {
  switch (platform) {
    case "darwin":
      return ["open", path];
    case "win32":
      // `start` is a command of the shell, whose quoting may break a path.
      return ["rundll32", "url.dll,FileProtocolHandler", path];
    default:
      return ["xdg-open", path];
  }
}
