// The host's terminal UI in a throwaway home.
import { join } from "node:path";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { openTerminal, type Terminal } from "../terminal/tmux.ts";
import { writeFiles } from "./home.ts";
import type { Host, PluginEntry } from "./host.ts";
import { isolatedEnvironment } from "./process.ts";

export interface TerminalUiSettings {
  /** tui.json's list. */
  readonly plugin: readonly PluginEntry[];
  /** A server to attach to; null: a server of its own, in its own process. */
  readonly attachTo: string | null;
  /** What the host's command line is given besides: `--session`, `--port`. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly rows: number;
}

/** The host's terminal UI in the first project of a throwaway home. */
export function openTerminalUi(host: Host, settings: TerminalUiSettings): Terminal {
  const { plugin, attachTo, args, env, columns, rows } = settings;
  writeFiles(join(host.home.config, "opencode"), { "tui.json": JSON.stringify({ plugin }) });
  const attach = attachTo === null ? [] : ["attach", attachTo, "--dir", host.project];
  return openTerminal({
    command: [hostBinary(), ...attach, ...args],
    cwd: host.project,
    env: { ...isolatedEnvironment(host.home), ...env },
    columns,
    rows,
  });
}
