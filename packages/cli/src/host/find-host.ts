// Finds a host on this machine, and asks for its version.
// Folder: Finds the hosts, their versions and their config.
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { errorCode, systemReason } from "../system-error.ts";
import { START_PATIENCE_MS, withinWords } from "./patience.ts";
import { type Environment, resolvePlaces } from "./places.ts";
import { type ProgramRun, runProgram } from "./run-program.ts";

/** Describes a host as a program: where it may be, and what users call it. */
export interface HostProgram {
  readonly name: "OpenCode" | "Pi";
  readonly file: string;
  /** The variable that may name its path. */
  readonly variable: "OPENCODE_BIN" | "PI_BIN";
  /** The folder of the host's own installer, below the home folder; null where it has none. */
  readonly ownFolder: string | null;
}

export const OPENCODE: HostProgram = {
  name: "OpenCode",
  file: "opencode",
  variable: "OPENCODE_BIN",
  ownFolder: ".opencode/bin",
};

export const PI: HostProgram = {
  name: "Pi",
  file: "pi",
  variable: "PI_BIN",
  ownFolder: null,
};

/** Describes a host that was found on this machine. */
export interface FoundHost {
  readonly path: string;
  readonly version: string;
  /** The time that it took to answer `--version`, which shows this machine's current pace. */
  readonly answeredInMs: number;
}

/** Holds a search's result: the places that were searched, in order, and the programs there that did not work. */
export interface HostSearch {
  readonly found: FoundHost | null;
  readonly looked: readonly string[];
  readonly broken: readonly BrokenHost[];
  /** Other programs of this name further along the PATH, which other shells may find first. */
  readonly others: readonly string[];
}

interface BrokenHost {
  readonly path: string;
  /** `hangs`: it did not answer in time, and was killed with its children. */
  readonly fault: "fails" | "hangs";
  readonly reason: string;
}

const SUFFIX = process.platform === "win32" ? ".exe" : "";

/** Finds a host: by its variable, then on PATH, then in the places that its installers use. */
export async function findHost(
  env: Environment,
  program: HostProgram,
  patienceMs: number = START_PATIENCE_MS,
): Promise<HostSearch> {
  const looked = [...new Set(candidates(env, program))];
  const broken: BrokenHost[] = [];
  for (const path of looked) {
    if (!isExecutable(path)) continue;
    const version = await readVersion(path, env, patienceMs);
    if (version.kind === "version") {
      const { version: number, answeredInMs } = version;
      const others = othersOnPath(env, program, path);
      return { found: { path, version: number, answeredInMs }, looked, broken, others };
    }
    const { fault, reason } = version;
    broken.push({ path, fault, reason });
  }
  return { found: null, looked, broken, others: [] };
}

/**
 * Returns the other programs of this name on PATH, without asking for their versions. Links to one program count
 * once.
 */
function othersOnPath(env: Environment, { file }: HostProgram, found: string): readonly string[] {
  const real = realpathSync(found);
  const others = foldersOnPath(env)
    .map((folder) => join(folder, file + SUFFIX))
    .filter((path) => isExecutable(path) && realpathSync(path) !== real);
  const byProgram = new Map(others.map((path) => [realpathSync(path), path]));
  return [...byProgram.values()];
}

function foldersOnPath({ PATH = "" }: Environment): readonly string[] {
  return PATH.split(delimiter).filter((folder) => folder !== "");
}

/** Returns the programs in the usual places, without asking for their versions. */
export function executableHosts(env: Environment, program: HostProgram): readonly string[] {
  return [...new Set(candidates(env, program))].filter(isExecutable);
}

function candidates(
  env: Environment,
  { file, variable, ownFolder }: HostProgram,
): readonly string[] {
  const { home } = resolvePlaces(env);
  const given = env[variable];
  const named = given ? [given] : [];
  const usual = [
    ...(ownFolder === null ? [] : [join(home, ownFolder)]),
    join(home, ".local/bin"),
    join(home, ".bun/bin"),
    join(home, ".npm-global/bin"),
    dirname(process.execPath),
    "/opt/homebrew/bin",
    "/usr/local/bin",
  ];
  const folders = [...foldersOnPath(env), ...usual];
  // On Windows npm writes a .cmd beside it; the host's installers bring an .exe.
  return [...named, ...folders.map((folder) => join(folder, file + SUFFIX))];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

type VersionAnswer =
  | { readonly kind: "version"; readonly version: string; readonly answeredInMs: number }
  | { readonly kind: "broken"; readonly fault: BrokenHost["fault"]; readonly reason: string };

async function readVersion(
  path: string,
  env: Environment,
  patienceMs: number,
): Promise<VersionAnswer> {
  const began = performance.now();
  try {
    const run = await runProgram(path, ["--version"], {
      cwd: dirname(path),
      env: { ...env, BUN_BE_BUN: undefined },
      deadline: AbortSignal.timeout(patienceMs),
    });
    if (run.end === "out-of-time") {
      const reason = `it was ended with its child processes, because it did not answer \`--version\` ${withinWords(patienceMs)}`;
      return { kind: "broken", fault: "hangs", reason };
    }
    return parseVersionAnswer(run, performance.now() - began);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const reason = systemReason(error) ?? reasonNotToStart(error);
    return { kind: "broken", fault: "fails", reason };
  }
}

function parseVersionAnswer(
  { exitCode, out, err }: ProgramRun,
  answeredInMs: number,
): VersionAnswer {
  const version = /^\s*v?(\d+\.\d+\.\d+\S*)\s*$/m.exec(out)?.[1];
  if (exitCode === 0 && version !== undefined) return { kind: "version", version, answeredInMs };
  const said = (err || out).trim().split("\n")[0]?.trim() ?? "";
  const how =
    exitCode === null ? "it was ended by a signal" : `it ended with exit code ${exitCode}`;
  const saying = said === "" ? "and printed nothing" : `and printed: ${said}`;
  return { kind: "broken", fault: "fails", reason: `${how} ${saying}` };
}

/** Says why a file could not be started, such as a program for another system. */
function reasonNotToStart(error: Error): string {
  const isForeign = ["ENOEXEC", "UNKNOWN"].includes(errorCode(error) ?? "");
  return isForeign ? "it is not a program for this system" : error.message;
}
