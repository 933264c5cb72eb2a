import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type CommandOutput, runCli } from "./command-line.ts";
import { processFolder } from "./process-folder.ts";

/** A home folder of its own, with a program that says it is OpenCode. */
export interface ThrowawayHome {
  readonly root: string;
  /** Where a path below the home lies. */
  path(relative: string): string;
  write(relative: string, text: string): string;
  read(relative: string): string;
  /** Every file below it, by relative path, but for the programs. */
  files(): readonly string[];
  run(...words: readonly string[]): Promise<CommandOutput>;
  readonly env: Readonly<Record<string, string>>;
}

export const CONFIG = ".config/opencode";
const BIN = ".fake-bin/opencode";

export function makeHome(hostVersion = "1.18.33"): ThrowawayHome {
  const root = mkdtempSync(join(processFolder(), "home-"));
  const path = (relative: string) => join(root, relative);
  const write = (relative: string, text: string) => {
    mkdirSync(dirname(path(relative)), { recursive: true });
    writeFileSync(path(relative), text);
    return path(relative);
  };
  write(BIN, `#!/bin/sh\necho ${hostVersion}\n`);
  chmodSync(path(BIN), 0o755);
  const env = { HOME: root, OPENCODE_BIN: path(BIN) };
  return {
    root,
    path,
    write,
    env,
    read: (relative) => readFileSync(path(relative), "utf8"),
    files: () =>
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
        .filter((file) => !file.startsWith(dirname(BIN)))
        .sort(),
    run: (...words) => runCli(words, env, root),
  };
}
