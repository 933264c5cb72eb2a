// Reads and resolves every layer of configuration; an unusable file only causes a warning.
// Folder: The settings: their schema, their files, how layers are merged, request options by model, and shell
// variables by folder.
import { constants, lstatSync, type Stats } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { defaults } from "./defaults.ts";
import type { ConfigLayer } from "./layer.ts";
import {
  type Candidate,
  type ConfigEnvironment,
  listConfigCandidates,
  resolveOwnConfigFile,
} from "./places.ts";
import type { ResolvedConfig } from "./resolve.ts";
import type { SettingsSection } from "./setting.ts";
import { type ConfigWarning, withOwnFile } from "./warning.ts";

interface ConfigInput extends ConfigEnvironment {
  readonly directory: string;
  readonly worktree: string;
  /** The second member of the plugin's tuple in the host's config, or undefined. */
  readonly options: unknown;
}

export interface LoadedConfig extends ResolvedConfig {
  /** The files that were read, in order of precedence; later ones win. */
  readonly files: readonly string[];
}

/** Names the options tuple in warnings. */
const OPTIONS_LAYER = "plugin options";

/** Flags to open files without blocking: a link may lead to a file that never ends, like the kernel's log. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

const MAX_CONFIG_FILE_BYTES = 1_048_576;

export const DANGLING_LINK_REASON = "it is a link to a file that does not exist";

type FileReadResult =
  | { readonly kind: "absent" }
  | { readonly kind: "layer"; readonly layer: ConfigLayer }
  | { readonly kind: "skipped"; readonly warning: ConfigWarning };

/**
 * Reads every layer and resolves them. An unusable file causes a warning, never an error.
 *
 * @param sections the sections of features
 */
export async function loadConfig(
  sections: readonly SettingsSection[],
  input: ConfigInput,
): Promise<LoadedConfig> {
  const files = await readConfigFiles(input, input);
  const options: readonly ConfigLayer[] =
    input.options === undefined || input.options === null
      ? []
      : [{ file: OPTIONS_LAYER, scope: "options", value: input.options, findLine: () => null }];
  const { warnings, ...rest } = await resolveSections(sections, [...files.layers, ...options]);
  const ownFile = resolveOwnConfigFile(input);
  return {
    ...rest,
    warnings: [...files.skipped, ...warnings.map((one) => withOwnFile(one, ownFile))],
    files: files.layers.map((layer) => layer.file),
  };
}

/** Reads the configuration files, in order of precedence (later ones win), and says which are unusable. */
export async function readConfigFiles(
  project: { readonly directory: string; readonly worktree: string },
  around: ConfigEnvironment,
): Promise<{
  readonly layers: readonly ConfigLayer[];
  readonly skipped: readonly ConfigWarning[];
}> {
  const reads = await Promise.all(listConfigCandidates(project, around).map(readCandidate));
  return {
    layers: reads.flatMap((read) => (read.kind === "layer" ? [read.layer] : [])),
    skipped: reads.flatMap((read) => (read.kind === "skipped" ? [read.warning] : [])),
  };
}

/** Resolves the layers. Most users configure nothing, so the schema is loaded only if needed. */
async function resolveSections(
  sections: readonly SettingsSection[],
  layers: readonly ConfigLayer[],
): Promise<ResolvedConfig> {
  if (layers.length === 0) return { config: defaults, warnings: [], projectSources: new Map() };
  const { resolveConfig } = await import("./resolve.ts");
  const { buildConfigSchema } = await import("./whole-schema.ts");
  return resolveConfig(await buildConfigSchema(sections), layers);
}

async function readCandidate({ path, scope }: Candidate): Promise<FileReadResult> {
  const skip = (reason: string): FileReadResult => ({
    kind: "skipped",
    warning: {
      kind: "wrong",
      file: path,
      line: null,
      key: null,
      reason: `${reason}; the file is skipped`,
    },
  });
  try {
    // Most files are absent: to ask for that without a promise takes microseconds, and the host waits for the start.
    const own = lstatSync(path, { throwIfNoEntry: false });
    if (!own) return { kind: "absent" };
    const status = own.isSymbolicLink() ? await statTarget(path) : own;
    if (!status) return skip(DANGLING_LINK_REASON);
    // Reading a pipe would block for ever.
    if (!status.isFile()) return skip("not a regular file");
    if (status.size > MAX_CONFIG_FILE_BYTES)
      return skip(`larger than ${MAX_CONFIG_FILE_BYTES} bytes`);
    // Most users have no file, so the parser is loaded only if needed.
    const { readJsonc } = await import("./jsonc.ts");
    const parsed = readJsonc(await readFile(path, { encoding: "utf8", flag: OPEN_FLAGS }));
    if (parsed.kind === "value") {
      const { value, findLine } = parsed;
      return { kind: "layer", layer: { file: path, scope, value, findLine } };
    }
    return skip(`line ${parsed.line}, column ${parsed.column}: ${parsed.reason}`);
  } catch (error) {
    const code = readErrorCode(error);
    return code === "ENOTDIR" ? { kind: "absent" } : skip(`can't be read (${code})`);
  }
}

/** Returns the status of the file that a link leads to; null if that file doesn't exist. */
async function statTarget(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (readErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}

function readErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
