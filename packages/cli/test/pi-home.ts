import { chmodSync } from "node:fs";
import { OLDEST_PI } from "../src/host/pi-versions.ts";
import { type CommandOutput, runCli } from "./command-line.ts";
import { makeHome, type ThrowawayHome } from "./throwaway-home.ts";

/** What the extension's package says of itself. */
export const MANIFEST = { name: "@session-runtime/pi", pi: { extensions: ["./i.js"] } };

interface PiHome extends ThrowawayHome {
  runWith(
    env: Readonly<Record<string, string>>,
    ...words: readonly string[]
  ): Promise<CommandOutput>;
}

/** What the program that says it is Pi does when it is to answer. */
const DOES = {
  silent: "exit 1",
  /** Has the command wherever its words or the user's settings name the extension. */
  loads: `read line
case "$*" in *ext*) ;; *) grep -q ext "\${PI_CODING_AGENT_DIR:-$HOME/.pi/agent}/settings.json" || exit 1 ;; esac
echo '{"type":"response","id":"commands","success":true,"data":{"commands":[{"name":"ctx-status","source":"extension"}]}}'`,
  /** Starts without the extension. */
  refuses: `read line
echo 'Error: Failed to load extension "ext": no such module' >&2
echo '{"type":"response","id":"commands","success":true,"data":{"commands":[]}}'`,
} as const;

/** A home with OpenCode, Pi, and the packages of both in `plugin` and `ext`. */
export function withPi(does: keyof typeof DOES): PiHome {
  const home = makeHome();
  home.write(
    ".fake-bin/pi",
    `#!/bin/sh\nif [ "$1" = --version ]; then echo ${OLDEST_PI}; exit; fi\n${DOES[does]}\n`,
  );
  chmodSync(home.path(".fake-bin/pi"), 0o755);
  home.write("ext/package.json", JSON.stringify(MANIFEST));
  home.write("ext/i.js", "");
  home.write("plugin/package.json", '{"name":"@session-runtime/opencode","exports":{}}');
  const env = { ...home.env, PI_BIN: home.path(".fake-bin/pi") };
  const runWith: PiHome["runWith"] = (variables, ...words) => runCli(words, variables, home.root);
  return { ...home, env, runWith, run: (...words) => runWith(env, ...words) };
}
