// `session-runtime completions`.
import { basename } from "node:path";
import { CliError, EXIT } from "../cli-error.ts";
import { type CatalogueEntry, type Command, command } from "../command.ts";
import { allWords, SHELLS, type Shell } from "../completions/words.ts";

/** Builds `session-runtime completions` for these commands. */
export function createCompletionsCommand(catalogue: readonly CatalogueEntry[]): Command {
  return command({
    name: "completions",
    summary: "Prints the completions for your shell.",
    details: ["Without an argument, it prints those for your login shell."],
    args: {
      shell: { type: "positional", required: false, description: "bash, zsh or fish" },
    },
    examples: [
      { line: 'eval "$(session-runtime completions bash)"', does: "in ~/.bashrc" },
      { line: 'eval "$(session-runtime completions zsh)"', does: "in ~/.zshrc, after compinit" },
      {
        line: "session-runtime completions fish > ~/.config/fish/completions/session-runtime.fish",
        does: "once",
      },
    ],
    run: async ({ shell }, terminal) => {
      const chosen = shellNamed(shell ?? basename(terminal.env.SHELL ?? ""));
      terminal.out.write(await scriptFor(chosen, catalogue));
      return EXIT.done;
    },
  });
}

function shellNamed(name: string): Shell {
  const shell = SHELLS.find((known) => known === name);
  if (shell !== undefined) return shell;
  throw new CliError(
    "shell-unknown",
    name === "" ? "Your login shell is unknown." : `There are no completions for ${name}.`,
    `Name one of these shells: ${SHELLS.join(", ")}.`,
    EXIT.usage,
  );
}

async function scriptFor(shell: Shell, catalogue: readonly CatalogueEntry[]): Promise<string> {
  const words = await allWords(catalogue);
  switch (shell) {
    case "bash":
      return (await import("../completions/bash.ts")).bashScript(words);
    case "zsh":
      return (await import("../completions/zsh.ts")).zshScript(words);
    case "fish":
      return (await import("../completions/fish.ts")).fishScript(words);
  }
}
