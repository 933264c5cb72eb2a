import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { missingTool } from "../../../scripts/system-tools.mjs";
import { openTerminal, type Terminal } from "../../e2e/src/terminal/tmux.ts";
import { runCli } from "./command-line.ts";
import { makeHome } from "./throwaway-home.ts";

setDefaultTimeout(600_000);

type Shell = "bash" | "zsh" | "fish";

const PROMPT = "ready> ";

/** What each shell's start-up file says so that the completions are there, and the prompt is known. */
const STARTUP: Readonly<Record<Shell, { readonly file: string; readonly text: string }>> = {
  bash: { file: ".bashrc", text: `PS1='${PROMPT}'\nbind 'set bell-style none'\n. ~/script\n` },
  zsh: {
    file: ".zshrc",
    text: `PS1='${PROMPT}'\nunsetopt BEEP\nautoload -Uz compinit && compinit -u\neval "$(cat ~/script)"\n`,
  },
  fish: {
    file: ".config/fish/config.fish",
    text: `function fish_prompt; echo -n '${PROMPT}'; end\nfunction fish_greeting; end\nset -g fish_autosuggestion_enabled 0\nsource ~/script\n`,
  },
};

const terminals: Terminal[] = [];
afterEach(() => {
  for (const terminal of terminals.splice(0)) terminal.close();
});

async function openShell(shell: Shell): Promise<Terminal> {
  const home = makeHome();
  const { out } = await runCli(["completions", shell]);
  home.write("script", out);
  home.write(STARTUP[shell].file, STARTUP[shell].text);
  mkdirSync(join(home.root, "bin"));
  writeFileSync(join(home.root, "bin/session-runtime"), "#!/bin/sh\n", { mode: 0o755 });
  const terminal = openTerminal({
    command: [Bun.which(shell) ?? shell, "-i"],
    cwd: home.root,
    env: { ...home.env, PATH: `${home.root}/bin:${process.env.PATH}`, LANG: "C.UTF-8" },
    columns: 100,
    rows: 40,
  });
  terminals.push(terminal);
  await terminal.waitFor(PROMPT.trim());
  return terminal;
}

for (const shell of ["bash", "zsh", "fish"] as const) {
  const missing = Bun.which(shell) === null ? `${shell} is not installed` : missingTool("tmux");
  describe.skipIf(missing !== null)(
    `completions in ${shell}${missing ? ` (${missing})` : ""}`,
    () => {
      test("a command is completed from its beginning", async () => {
        const terminal = await openShell(shell);
        terminal.type("session-runtime doc");
        terminal.press("Tab");
        await terminal.waitFor("session-runtime doctor");
      });

      test("the commands are listed where several fit", async () => {
        const terminal = await openShell(shell);
        terminal.type("session-runtime s");
        terminal.press("Tab");
        terminal.press("Tab");
        for (const name of ["setup", "status", "sessions", "show"]) await terminal.waitFor(name);
      });

      test("a command's own flags are completed, and the values of one that has a few", async () => {
        const terminal = await openShell(shell);
        terminal.type("session-runtime setup --reco");
        terminal.press("Tab");
        await terminal.waitFor("setup --recovery");
        await terminal.settled();
        terminal.type(" au");
        terminal.press("Tab");
        await terminal.waitFor(/--recovery +auto/);
      });

      test("the script itself is completed by the shells that it knows", async () => {
        const terminal = await openShell(shell);
        terminal.type("session-runtime completions fi");
        terminal.press("Tab");
        await terminal.waitFor("completions fish");
      });
    },
  );
}

test("a shell that it does not know is refused with those that it knows", async () => {
  const { err, exitCode } = await runCli(["completions", "tcsh"]);
  expect(exitCode).toBe(2);
  expect(err).toContain("bash, zsh, fish");
});

test("without a word the login shell is taken", async () => {
  const { out } = await runCli(["completions"], { SHELL: "/usr/bin/fish" });
  expect(out).toContain("for fish");
});
