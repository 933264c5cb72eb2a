// Collects facts about Pi: the program, its settings, and what it loads.
import { closeSync, openSync, readSync } from "node:fs";
import { tmpdir } from "node:os";
import { pluginEntries } from "../../config-file/plugin-list.ts";
import { type ConfigFile, readConfigFile } from "../../config-file/read-file.ts";
import type { Scope } from "../../host/config-places.ts";
import { type FoundHost, findHost, type HostSearch, PI } from "../../host/find-host.ts";
import { TRIAL_PATIENCE_MS } from "../../host/patience.ts";
import { piOwnSettings, piSettings } from "../../host/pi-places.ts";
import type { Environment } from "../../host/places.ts";
import { runProgram } from "../../host/run-program.ts";
import { type PiAnswer, piCommands } from "../../live/pi-commands.ts";
import { missingEntry } from "../../setup/pi-part.ts";
import { isGone, isOurs, isPathSpec, PI_LISTING, pathOfSpec } from "../../setup/plugin-identity.ts";
import { systemReason } from "../../system-error.ts";

export interface PiFacts {
  readonly search: HostSearch;
  /** The version of the Node that runs Pi; null where Pi is a binary, or Node is missing. */
  readonly node: string | null;
  /** Pi's existing settings files. */
  readonly files: readonly PiFile[];
  /** The path of the runtime's settings for Pi alone, which may not exist. */
  readonly ownSettings: string;
  /** Our entries in those files. */
  readonly entries: readonly PiEntry[];
  /** Pi's answer to a start; null where it was not started. */
  readonly answer: PiAnswer | null;
}

interface PiFile {
  readonly path: string;
  readonly scope: Scope;
  /** The reason why Pi can't read the file; null where it can. */
  readonly fault: string | null;
}

export interface PiEntry {
  readonly path: string;
  readonly scope: Scope;
  readonly spec: string;
  readonly state:
    | { readonly kind: "there" }
    | { readonly kind: "gone"; readonly place: string }
    | { readonly kind: "not-built"; readonly missing: string };
}

interface Question {
  readonly directory: string;
  readonly env: Environment;
  readonly live: "try" | "skip";
  /** The specs that setup has written. */
  readonly written: ReadonlySet<string>;
}

export async function piFacts({ directory, env, live, written }: Question): Promise<PiFacts> {
  const search = await findHost(env, PI);
  const read = (["global", "project"] as const).map((scope) => ({
    scope,
    file: readConfigFile(piSettings(scope, env, directory)),
  }));
  const files = read.filter(({ file }) => file.kind !== "absent");
  const entries = files.flatMap(({ scope, file }) =>
    pluginEntries(file, PI_LISTING.form)
      .filter(({ spec }) => isOurs(spec, file.path, { listing: PI_LISTING, written }))
      .map(({ spec }) => ({
        path: file.path,
        scope,
        spec,
        state: findEntryState(spec, file.path),
      })),
  );
  const { found } = search;
  const isAsked = live === "try" && found !== null && entries.length > 0;
  const deadline = AbortSignal.timeout(TRIAL_PATIENCE_MS);
  return {
    search,
    node: found === null ? null : await findNode(found, env),
    files: files.map(({ scope, file }) => ({ path: file.path, scope, fault: describeFault(file) })),
    ownSettings: piOwnSettings(env),
    entries,
    answer: isAsked
      ? await piCommands(found, { directory, env, deadline, extensions: "own" })
      : null,
  };
}

function findEntryState(spec: string, file: string): PiEntry["state"] {
  if (!isPathSpec(spec)) return { kind: "there" };
  const place = pathOfSpec(spec, file);
  if (isGone(spec, file)) return { kind: "gone", place };
  const missing = missingEntry(place);
  return missing === null ? { kind: "there" } : { kind: "not-built", missing };
}

/** Returns the reason why Pi can't read the file, since it takes strict JSON; null where it can. */
function describeFault(file: ConfigFile): string | null {
  switch (file.kind) {
    case "absent":
      return null;
    case "unreadable":
      return file.reason;
    case "invalid":
      return `${file.reason} at line ${file.line}, column ${file.column}`;
    case "present":
      return isJson(file.document.text)
        ? null
        : "it has comments or trailing commas, which Pi does not accept";
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/**
 * Returns the version of the first Node on PATH, which starts Pi's script; null where Pi is a binary, or Node is
 * missing.
 */
async function findNode({ path }: FoundHost, env: Environment): Promise<string | null> {
  if (!/^#!.*\bnode\b/.test(firstLine(path))) return null;
  try {
    const deadline = AbortSignal.timeout(TRIAL_PATIENCE_MS);
    const { out } = await runProgram("node", ["--version"], { cwd: tmpdir(), env, deadline });
    return /^v(\S+)/.exec(out)?.[1] ?? null;
  } catch (error) {
    if (systemReason(error) !== null) return null;
    throw error;
  }
}

const LINE_BYTES = 128;

function firstLine(path: string): string {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(LINE_BYTES);
    const length = readSync(file, bytes);
    return bytes.toString("utf8", 0, length).split("\n")[0] ?? "";
  } finally {
    closeSync(file);
  }
}
