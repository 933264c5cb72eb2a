// Finds a program that runs JavaScript with Bun; OpenCode is one.
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readSync } from "node:fs";
import { delimiter, join } from "node:path";
import { executableHosts, OPENCODE } from "../host/find-host.ts";
import { START_PATIENCE_MS } from "../host/patience.ts";
import type { Environment } from "../host/places.ts";

const PROBE = "process.stdout.write(String(typeof process.versions.bun))";

/**
 * Returns a program that runs JavaScript with Bun, which includes SQLite: OpenCode is one when BUN_BE_BUN=1 is
 * set. Null where there is none.
 */
export function findBun(env: Environment): string | null {
  const bunFile = process.platform === "win32" ? "bun.exe" : "bun";
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const programs = [
    ...executableHosts(env, OPENCODE),
    ...folders.map((folder) => join(folder, bunFile)),
  ];
  return programs.find((program) => runsBun(program, env)) ?? null;
}

/** Lists how binaries begin: for Linux, for Windows, for macOS with one processor type and with several. */
const BINARY_STARTS = ["\x7fELF", "MZ", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe"];

/**
 * Says whether the program runs Bun. OpenCode's own binary is not asked, which would cost as much as the work
 * itself. A text of that name is a wrapper around it, a placeholder from before its installation was finished,
 * or something else.
 */
function runsBun(program: string, env: Environment): boolean {
  const start = firstBytes(program);
  if (start === null) return false;
  const isBinary = BINARY_STARTS.some((known) => start.startsWith(known));
  if (isBinary && program.includes("opencode")) return true;
  const { status, stdout } = spawnSync(program, ["-e", PROBE], {
    env: { ...env, BUN_BE_BUN: "1" },
    encoding: "utf8",
    timeout: START_PATIENCE_MS,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 && stdout === "string";
}

function firstBytes(path: string): string | null {
  try {
    const file = openSync(path, "r");
    const bytes = Buffer.alloc(4);
    readSync(file, bytes, 0, bytes.length, 0);
    closeSync(file);
    return bytes.toString("latin1");
  } catch {
    return null;
  }
}
