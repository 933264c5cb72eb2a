import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { missingTool } from "../../../../scripts/system-tools.mjs";
import { openTerminal, type Terminal } from "../../../e2e/src/terminal/tmux.ts";
import { bundledCli } from "../command-line.ts";
import { madeModel, madeSession, openHostDatabase, storePlayed } from "../data/host-database.ts";
import { CONFIG, makeHome, type ThrowawayHome } from "../throwaway-home.ts";

setDefaultTimeout(600_000);

const missing = missingTool("tmux");
const terminals: Terminal[] = [];
afterEach(() => {
  for (const terminal of terminals.splice(0)) terminal.close();
});

function homeWithPlugin(): ThrowawayHome {
  const home = makeHome();
  const exported = { "./server": "./a.js", "./tui": "./b.js" };
  const manifest = { name: "@session-runtime/opencode", exports: exported };
  home.write("plugin/package.json", JSON.stringify(manifest));
  return home;
}

/** The wizard as a user sees it; only the checks in the real host are left out. */
function open(
  home: ThrowawayHome,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Terminal {
  const terminal = openTerminal({
    // cat keeps the terminal open behind it: tmux scrolls the screen of a program that has ended.
    command: [
      "sh",
      "-c",
      'node "$@"; exec cat',
      "sh",
      bundledCli(),
      "setup",
      "--no-check",
      "--no-launcher",
      ...words,
    ],
    cwd: home.root,
    env: {
      PATH: process.env.PATH ?? "",
      LANG: "C.UTF-8",
      npm_command: "exec",
      ...home.env,
      ...env,
    },
    columns: 90,
    rows: 45,
  });
  terminals.push(terminal);
  return terminal;
}

/** A Node without SQLite takes that of a Bun. */
function withBun(home: ThrowawayHome): string {
  mkdirSync(home.path("bun"));
  symlinkSync(hostBinary(), home.path("bun/bun"));
  return `${home.path("bun")}:${process.env.PATH}`;
}

/** Compares a screen with the one on record, which UPDATE_GOLDEN=1 writes anew. */
function expectScreen(name: string, screen: string, home: ThrowawayHome): void {
  const path = join(import.meta.dir, "../golden/setup", `${name}.txt`);
  const shown = `${screen.replaceAll(home.root, "HOME").trim()}\n`;
  if (process.env.UPDATE_GOLDEN === "1") {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, shown);
  }
  if (!existsSync(path)) throw new Error(`${path} is missing: write it with UPDATE_GOLDEN=1`);
  expect(shown).toBe(readFileSync(path, "utf8"));
}

describe.skipIf(missing !== null)(
  `the wizard in a terminal${missing ? ` (${missing})` : ""}`,
  () => {
    test("Enter twice: the defaults, the diff, written", async () => {
      const home = homeWithPlugin();
      home.write(`${CONFIG}/opencode.jsonc`, '{\n  // my model\n  "model": "a/b",\n}\n');
      const terminal = open(home, ["--spec", "./plugin"]);
      await terminal.waitFor("Let me choose");
      expectScreen("question", await terminal.settled(), home);
      terminal.press("Enter");
      await terminal.waitFor("Write these changes?");
      expectScreen("diff", await terminal.settled(), home);
      terminal.press("Enter");
      await terminal.waitFor("/ctx-status");
      expectScreen("written", await terminal.settled(), home);
      expect(home.read(`${CONFIG}/opencode.jsonc`)).toContain(home.path("plugin"));
    });

    test("ES2: where OpenCode has sessions it offers to show what they would have cost, before anything changes", async () => {
      const home = homeWithPlugin();
      const driver = openHostDatabase(home.root);
      const row = { id: "ses_a", title: "About herons", directory: "/x", updatedMs: 1 };
      storePlayed(driver, row, { recorded: madeSession("ses_a", 12), model: madeModel });
      driver.close();
      const terminal = open(home, ["--spec", "./plugin"], { PATH: withBun(home) });
      await terminal.waitFor("past sessions would have cost");
      terminal.type("y");
      await terminal.waitFor("Let me choose");
      const screen = await terminal.settled();
      expect(screen).toContain("1 past session, 12 calls.");
      expect(screen).toContain("About herons");
      expect(existsSync(home.path(`${CONFIG}/opencode.jsonc`))).toBe(false);
    });

    test("settings of one's own are asked for and shown in the diff", async () => {
      const home = homeWithPlugin();
      const terminal = open(home, ["--spec", "./plugin"]);
      await terminal.waitFor("Let me choose");
      terminal.press("Down", "Enter");
      await terminal.waitFor("After a crash");
      terminal.press("Down", "Enter");
      await terminal.waitFor("changes to its context?");
      terminal.press("Enter");
      await terminal.waitFor("Write these changes?");
      expectScreen("chosen", await terminal.settled(), home);
      terminal.press("Enter");
      await terminal.waitFor("/ctx-status");
      expect(JSON.parse(home.read(`${CONFIG}/session-runtime.jsonc`))).toEqual({
        recovery: "auto",
      });
    });

    test("Escape at any question leaves everything as it was", async () => {
      const home = homeWithPlugin();
      const before = home.files();
      const terminal = open(home, ["--spec", "./plugin"]);
      await terminal.waitFor("Let me choose");
      terminal.press("Enter");
      await terminal.waitFor("Write these changes?");
      terminal.press("Escape");
      await terminal.waitFor("Nothing was changed");
      expectScreen("left", await terminal.settled(), home);
      expect(home.files()).toEqual(before);
    });

    test("Ctrl-C does so too", async () => {
      const home = homeWithPlugin();
      const before = home.files();
      const terminal = open(home, ["--spec", "./plugin"]);
      await terminal.waitFor("Let me choose");
      terminal.press("C-c");
      await terminal.waitFor("Nothing was changed");
      expect(home.files()).toEqual(before);
    });

    test("a second run says that there is nothing to do, and asks nothing", async () => {
      const home = homeWithPlugin();
      await home.run("setup", "--yes", "--no-check", "--no-launcher", "--spec", "./plugin");
      const terminal = open(home, ["--spec", "./plugin"]);
      await terminal.waitFor("nothing to change");
      expectScreen("again", await terminal.settled(), home);
    });

    test("--remove shows what goes, asks once and restores the file", async () => {
      const home = homeWithPlugin();
      const text = '{\n  // my model\n  "model": "a/b",\n}\n';
      home.write(`${CONFIG}/opencode.jsonc`, text);
      await home.run("setup", "--yes", "--no-check", "--no-launcher", "--spec", "./plugin");
      const terminal = open(home, ["--remove"]);
      await terminal.waitFor("Remove this?");
      expectScreen("remove", await terminal.settled(), home);
      terminal.press("Enter");
      await terminal.waitFor("Removed.");
      await terminal.settled();
      expect(home.read(`${CONFIG}/opencode.jsonc`)).toBe(text);
      expect(existsSync(home.path(`${CONFIG}/tui.json`))).toBe(false);
    });
  },
);
