// A program in a terminal of its own, which a test reads and types into.
// Folder: Output to a terminal, and a terminal to test in.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemTool } from "../../../../scripts/system-tools.mjs";

export interface TerminalSettings {
  /** Program and its words. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** All of the program's environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly rows: number;
}

/** A program in a terminal of its own, which nobody looks at but the test. */
export interface Terminal {
  /** What stands on the screen: one line per row, without trailing spaces. */
  screen(): string;
  /** The same with the escape sequences of its colours. */
  colouredScreen(): string;
  /** Settles with the first screen that has the text, or fails with the last screen seen. */
  waitFor(wanted: string | RegExp): Promise<string>;
  /** Settles with the first screen that lacks it. */
  waitUntilGone(unwanted: string | RegExp): Promise<string>;
  /** Settles with a screen that stays as it is for a moment. */
  settled(): Promise<string>;
  type(text: string): void;
  /** Keys by tmux's names: `Enter`, `Escape`, `C-c`, `PageDown`. */
  press(...keys: readonly string[]): void;
  resize(columns: number, rows: number): void;
  /** Ends the program at once, as a crash does; its last screen stays. */
  kill9(): void;
  close(): void;
}

/** Generous: a machine that does other things too is slow, and that is not a failure. */
const WAIT_MS = 150_000;
const LOOK_EVERY_MS = 100;
/** How many looks a screen must stay the same for. */
const STILL_LOOKS = 4;

/** Folders of the terminals that are open: a run that ends early must leave none running. */
const open = new Set<string>();
process.on("exit", () => {
  for (const folder of open) end(folder);
});

export function openTerminal(settings: TerminalSettings): Terminal {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-tmux-"));
  const { columns, rows, cwd, command } = settings;
  const size = ["-x", String(columns), "-y", String(rows)];
  const words = ["env", "-i", ...Object.entries(variables(settings)).map(([k, v]) => `${k}=${v}`)];
  open.add(folder);
  require0(
    tmux(folder, [
      "-f",
      "/dev/null",
      "new-session",
      "-d",
      ...size,
      "-c",
      cwd,
      "--",
      ...words,
      ...command,
    ]),
  );
  require0(tmux(folder, ["set-option", "-g", "status", "off"]));
  require0(tmux(folder, ["set-option", "-g", "window-size", "manual"]));
  require0(tmux(folder, ["set-option", "-g", "remain-on-exit", "on"]));
  require0(tmux(folder, ["resize-window", ...size]));
  const capture = (...flags: readonly string[]) =>
    require0(tmux(folder, ["capture-pane", "-p", ...flags]));
  const terminal: Terminal = {
    screen: () => trimmed(capture()),
    colouredScreen: () => capture("-e"),
    waitFor: (wanted) => look(terminal.screen, (text) => has(text, wanted), `to show ${wanted}`),
    waitUntilGone: (unwanted) =>
      look(terminal.screen, (text) => !has(text, unwanted), `to be without ${unwanted}`),
    settled: () => look(terminal.screen, stillness(), "to come to rest"),
    type: (text) => void require0(tmux(folder, ["send-keys", "-l", "--", text])),
    press: (...keys) => void require0(tmux(folder, ["send-keys", ...keys])),
    resize: (wide, high) =>
      void require0(tmux(folder, ["resize-window", "-x", String(wide), "-y", String(high)])),
    kill9() {
      process.kill(
        Number(require0(tmux(folder, ["display-message", "-p", "#{pane_pid}"]))),
        "SIGKILL",
      );
    },
    close() {
      end(folder);
      open.delete(folder);
    },
  };
  return terminal;
}

function variables({ env }: TerminalSettings): Readonly<Record<string, string>> {
  return { ...env, TERM: "tmux-256color", COLORTERM: "truecolor" };
}

async function look(
  screen: () => string,
  isThere: (text: string) => boolean,
  what: string,
): Promise<string> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const text = screen();
    if (isThere(text)) return text;
    if (Date.now() > deadline) throw new Error(`Waited for the screen ${what}:\n${text}`);
    await Bun.sleep(LOOK_EVERY_MS);
  }
}

function stillness(): (text: string) => boolean {
  let former: string | null = null;
  let looks = 0;
  return (text) => {
    looks = text === former ? looks + 1 : 0;
    former = text;
    return looks >= STILL_LOOKS;
  };
}

function has(text: string, wanted: string | RegExp): boolean {
  return typeof wanted === "string" ? text.includes(wanted) : wanted.test(text);
}

function trimmed(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

interface CommandOutput {
  readonly args: readonly string[];
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

function end(folder: string): void {
  tmux(folder, ["kill-server"]);
  rmSync(folder, { recursive: true, force: true });
}

/** Each terminal has a tmux of its own, by the socket in its folder. */
function tmux(folder: string, args: readonly string[]): CommandOutput {
  const program = systemTool("tmux") ?? "tmux";
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    [program, "-S", join(folder, "socket"), ...args],
    {
      env: {
        PATH: process.env.PATH ?? "",
        HOME: "/nonexistent",
        LANG: "C.UTF-8",
      },
    },
  );
  return { args, exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

function require0({ args, exitCode, stdout, stderr }: CommandOutput): string {
  if (exitCode !== 0) throw new Error(`tmux ${args.join(" ")}: ${stderr || stdout}`);
  return stdout;
}
