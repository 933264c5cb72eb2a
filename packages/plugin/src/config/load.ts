// Reads and resolves every layer of configuration; a bad file is a warning.
// Folder: The settings: their schema, their files, how layers are merged, request options by model, and shell
// variables by folder.
import { constants } from "node:fs";
import { lstat, readFile, stat } from "node:fs/promises";
import { defaults } from "./defaults.ts";
import type { ConfigLayer } from "./layer.ts";
import {
  type Candidate,
  type ConfigEnvironment,
  configCandidates,
  ownConfigFile,
} from "./places.ts";
import type { ResolvedConfig } from "./resolve.ts";
import type { SettingsSection } from "./section.ts";
import { type ConfigWarning, withOwnFile } from "./warning.ts";

interface ConfigInput extends ConfigEnvironment {
  readonly directory: string;
  readonly worktree: string;
  /** The second member of the plugin's tuple in the host's config, or undefined. */
  readonly options: unknown;
}

export interface LoadedConfig extends ResolvedConfig {
  /** The files that were found and read, in the order in which they count; later wins. */
  readonly files: readonly string[];
}

/** What the options tuple is called in warnings. */
const OPTIONS_LAYER = "plugin options";

/** A link may lead to a file that never ends to be read, like the kernel's log. */
const WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK;

const MAX_BYTES = 1_048_576;

export const DANGLING = "it is a link to a file that does not exist";

type FileRead =
  | { readonly kind: "absent" }
  | { readonly kind: "layer"; readonly layer: ConfigLayer }
  | { readonly kind: "skipped"; readonly warning: ConfigWarning };

/**
 * Reads every layer and resolves them. A file that can't be used is a warning, never an error.
 *
 * @param sections those that features bring
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
  const { warnings, ...rest } = await resolved(sections, [...files.layers, ...options]);
  const ownFile = ownConfigFile(input);
  return {
    ...rest,
    warnings: [...files.skipped, ...warnings.map((one) => withOwnFile(one, ownFile))],
    files: files.layers.map((layer) => layer.file),
  };
}

/** What the configuration files hold, later wins, and which of them can't be used. */
export async function readConfigFiles(
  project: { readonly directory: string; readonly worktree: string },
  around: ConfigEnvironment,
): Promise<{
  readonly layers: readonly ConfigLayer[];
  readonly skipped: readonly ConfigWarning[];
}> {
  const reads = await Promise.all(configCandidates(project, around).map(readCandidate));
  return {
    layers: reads.flatMap((read) => (read.kind === "layer" ? [read.layer] : [])),
    skipped: reads.flatMap((read) => (read.kind === "skipped" ? [read.warning] : [])),
  };
}

/** Most users configure nothing: they don't pay for the schema. */
async function resolved(
  sections: readonly SettingsSection[],
  layers: readonly ConfigLayer[],
): Promise<ResolvedConfig> {
  if (layers.length === 0) return { config: defaults, warnings: [], projectSources: new Map() };
  const { resolveConfig } = await import("./resolve.ts");
  const { wholeSchema } = await import("./whole-schema.ts");
  return resolveConfig(await wholeSchema(sections), layers);
}

async function readCandidate({ path, scope }: Candidate): Promise<FileRead> {
  const skip = (reason: string): FileRead => ({
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
    const status = await stat(path);
    // A pipe would be waited on for ever.
    if (!status.isFile()) return skip("not a regular file");
    if (status.size > MAX_BYTES) return skip(`larger than ${MAX_BYTES} bytes`);
    // Most users have no file: they don't pay the parser's start-up.
    const { readJsonc } = await import("./jsonc.ts");
    const parsed = readJsonc(await readFile(path, { encoding: "utf8", flag: WITHOUT_WAITING }));
    if (parsed.kind === "value") {
      const { value, findLine } = parsed;
      return { kind: "layer", layer: { file: path, scope, value, findLine } };
    }
    return skip(`line ${parsed.line}, column ${parsed.column}: ${parsed.reason}`);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" && (await isLink(path))) return skip(DANGLING);
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "absent" };
    return skip(`can't be read (${code})`);
  }
}

function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (status) => status.isSymbolicLink(),
    // There is nothing, not even a link.
    () => false,
  );
}

function systemCode(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
