import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { missingTool } from "../../../../scripts/system-tools.mjs";
import type { HostSettings } from "../../src/host/host.ts";
import { openTerminalUi, type TerminalUiSettings } from "../../src/host/terminal-ui.ts";
import { type Bench, openBench } from "../../src/open.ts";
import type { Terminal } from "../../src/terminal/tmux.ts";
import { PATIENT } from "../conformance/stage.ts";
import { LONG, longTest } from "../long.ts";

/** Of a test that drives a terminal, at most. */
export const DRIVEN_MS = 480_000;
setDefaultTimeout(DRIVEN_MS);

const SOURCE = join(import.meta.dir, "../../../plugin/src");
export const PLUGIN = join(SOURCE, "index.ts");
export const TUI_PLUGIN = join(SOURCE, "tui.ts");

/**
 * A test that drives the terminal UI; without tmux it is skipped, and its name says why. It has two
 * attempts where the host itself may end it.
 */
export function drivenTest(title: string, run: () => Promise<void>, attempts: 1 | 2 = 1): void {
  const missing = missingTool("tmux");
  if (missing === null) test(title, run, { timeout: DRIVEN_MS, retry: attempts - 1 });
  else test.skip(`${title} (${missing})`, run);
}

/** A driven test that only long runs take. */
export function longDrivenTest(title: string, run: () => Promise<void>): void {
  if (LONG) drivenTest(title, run);
  else longTest(title, run);
}

/** Hosts and terminals of one test file; all gone after each test. */
export class TuiStage {
  readonly #cleanups: (() => Promise<void> | void)[] = [];

  constructor() {
    afterEach(async () => {
      for (const clean of this.#cleanups.splice(0).reverse()) await clean();
    });
  }

  clean(work: () => Promise<void> | void): void {
    this.#cleanups.push(work);
  }

  async bench(settings: Partial<Omit<HostSettings, "providerUrl">> = {}): Promise<Bench> {
    const bench = await openBench({ plugin: [[PLUGIN, PATIENT]], ...settings });
    this.clean(() => bench.close());
    return bench;
  }

  /** The terminal UI with our plugin, in a server of its own unless `settings` say otherwise. */
  ui({ host }: Bench, settings: Partial<TerminalUiSettings> = {}): Terminal {
    const terminal = openTerminalUi(host, {
      plugin: [TUI_PLUGIN],
      attachTo: null,
      args: [],
      env: {},
      columns: 130,
      rows: 32,
      ...settings,
    });
    this.clean(() => terminal.close());
    return terminal;
  }
}

/** Types a prompt or a command and sends it; the space behind it closes the host's completion. */
export async function send(terminal: Terminal, text: string): Promise<void> {
  terminal.type(`${text} `);
  await terminal.waitFor(text.slice(-30));
  terminal.press("Enter");
}

/** How long a busy machine may take to draw a screen. */
const DRAWN_WITHIN_MS = 60_000;

/** The screen comes to rest as its golden file says: after a change of size it may rest before it is drawn. */
export async function expectSettled(terminal: Terminal, name: string): Promise<void> {
  const until = Date.now() + DRAWN_WITHIN_MS;
  let screen = await terminal.settled();
  while (!isAsRecorded(screen, name) && Date.now() < until) screen = await terminal.settled();
  expectScreen(screen, name);
}

function isAsRecorded(screen: string, name: string): boolean {
  const file = goldenFile(name);
  if (process.env.UPDATE_GOLDEN === "1" || !existsSync(file)) return true;
  return `${steady(screen)}\n` === readFileSync(file, "utf8");
}

const goldenFile = (name: string) => join(import.meta.dir, "golden", `${name}.txt`);

/** The screen is as its golden file says, but for what differs from run to run. */
export function expectScreen(screen: string, name: string): void {
  const file = goldenFile(name);
  const text = `${steady(screen)}\n`;
  if (process.env.UPDATE_GOLDEN === "1") writeFileSync(file, text);
  if (!existsSync(file)) throw new Error(`No ${file}: UPDATE_GOLDEN=1 writes it.`);
  expect(text).toBe(readFileSync(file, "utf8"));
}

/** What differs from run to run, and the word that stands for it. */
const VARIABLE: readonly (readonly [RegExp, string])[] = [
  [/session-runtime-e2e-\w{6}/, "session-runtime-e2e-HOME"],
  [/ses_[A-Za-z0-9]{20,}/, "ses_ID"],
  [/\b1\.\d+\.\d+/, "VERSION"],
  [/just now|\b\d+ (?:s|min) ago/, "AGO"],
  // The panel's own, of which a dialog leaves the last word.
  [/ {3,}(?:ago|now)$/, "  AGO"],
  [/(?<=▣ {2}Build · Mock) · [\d.]+m?s/, ""],
  [/(?<=hash )[0-9a-f]{8}/, "HASH"],
];

function steady(screen: string): string {
  const rows = screen.split("\n").map((row) => VARIABLE.reduce(masked, row).trimEnd());
  return rows.join("\n").trimEnd();
}

/** What it is shorter or longer by goes into the next gap of the row, so that columns stay in place. */
function masked(row: string, [pattern, word]: readonly [RegExp, string]): string {
  const found = pattern.exec(row);
  if (!found) return row;
  const head = row.slice(0, found.index) + word;
  const rest = row.slice(found.index + found[0].length);
  const gap = / {2,}|$/.exec(rest)?.index ?? rest.length;
  const spaces = /^ */.exec(rest.slice(gap))?.[0].length ?? 0;
  const wanted = Math.max(0, spaces + found[0].length - word.length);
  const tail = rest.slice(gap + spaces);
  return `${head}${masked(rest.slice(0, gap), [pattern, word])}${" ".repeat(wanted)}${masked(tail, [pattern, word])}`;
}
