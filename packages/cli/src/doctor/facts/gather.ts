// Looks at everything once.
// Folder: What the checks need to know, looked up once.
import { fileURLToPath } from "node:url";
import { readConfigFile } from "../../config-file/read-file.ts";
import { filesOf, type Scope } from "../../host/config-places.ts";
import { type FoundHost, findHost } from "../../host/find-host.ts";
import type { Environment } from "../../host/places.ts";
import { HOST_RANGE } from "../../host/require-host.ts";
import { type ResolvedConfig, readResolvedConfig } from "../../host/resolved-config.ts";
import { testedVersions } from "../../host/tested-versions.ts";
import { isInRange } from "../../host/version-range.ts";
import { runTrial, type Trial } from "../../live/trial.ts";
import { verdictOf } from "../../live/verdict.ts";
import { ourEntries } from "../../setup/plan.ts";
import { isOurs } from "../../setup/plugin-identity.ts";
import { bringsTerminalPart } from "../../setup/resolve-wish.ts";
import type { Progress } from "../../terminal/progress.ts";
import { findCulprits } from "./culprits.ts";
import { databaseFacts } from "./database.ts";
import type { Facts, LoadedPlugin, WrittenEntry } from "./facts.ts";
import { importComplaint } from "./import-plugin.ts";
import { cachedPackages } from "./packages.ts";
import { settingsFacts } from "./settings.ts";

export interface Gathering {
  readonly directory: string;
  readonly env: Environment;
  /** Whether the real host is started. */
  readonly live: "try" | "skip";
  readonly progress: Progress;
}

/** Looks at everything once. Nothing of the user's is changed. */
export async function gatherFacts(gathering: Gathering): Promise<Facts> {
  const { directory, env, progress } = gathering;
  progress.step("Looking for OpenCode");
  const search = await findHost(env);
  const files = (["global", "project"] as const).map((scope) => filesIn(scope, gathering));
  progress.step("Reading the config");
  // An unsupported one would be asked what it does not know.
  const host = search.found && isInRange(search.found.version, HOST_RANGE) ? search.found : null;
  const resolved = host === null ? null : await readResolvedConfig(host, directory, env);
  const plugins = resolved === null ? [] : pluginsIn(resolved);
  progress.step("Checking the database");
  const [database, settings] = [await databaseFacts(env), await settingsFacts(directory, env)];
  const seen = await lookAlive(gathering, host, resolved, plugins, settings);
  return {
    env,
    platform: process.platform,
    directory,
    search,
    testedHosts: testedVersions(),
    configFiles: files.flatMap(({ server, terminal }) => [...server, ...terminal]),
    written: files.flatMap(({ server }) => server.flatMap(entriesIn)),
    writtenTerminal: files.flatMap(({ terminal }) => terminal.flatMap(entriesIn)),
    resolved,
    plugins,
    bringsTerminalPart: plugins.some(
      ({ spec, isOurs: isOur }) => isOur && bringsTerminalPart(spec, env),
    ),
    ...seen,
    settings,
    packages: cachedPackages(env),
    database,
  };
}

/** The host gives paths as file URLs. */
function asWritten(spec: string): string {
  return spec.startsWith("file://") ? fileURLToPath(spec) : spec;
}

type Seen = Pick<Facts, "importError" | "trial" | "culprits">;

async function lookAlive(
  { live, directory, env, progress }: Gathering,
  host: FoundHost | null,
  resolved: ResolvedConfig | null,
  plugins: readonly LoadedPlugin[],
  { isEnabled }: Facts["settings"],
): Promise<Seen> {
  const ours = plugins.find((plugin) => plugin.isOurs);
  // Without the plugin a start shows nothing that another check doesn't say better.
  const isWorthIt = live === "try" && resolved?.kind === "resolved" && ours !== undefined;
  if (!isWorthIt || host === null) {
    return { importError: null, trial: null, culprits: [] };
  }
  progress.step("Starting OpenCode against a provider of our own");
  const trial = await runTrial(host, directory, env, resolved.mcpServers);
  const isLoaded = trial.kind === "ran" && verdictOf(trial).isLoaded;
  const importError = isLoaded ? null : await importComplaint(host, ours.spec, ours.source, env);
  const culprits =
    isEnabled && isSpoilt(trial)
      ? await findCulprits(host, plugins, env, (spec) => progress.step(`Trying ${spec} alone`))
      : [];
  return { importError, trial, culprits };
}

function isSpoilt(trial: Trial): boolean {
  if (trial.kind === "failed") return false;
  const verdict = verdictOf(trial);
  return verdict.isLoaded && verdict.break !== null;
}

function filesIn(scope: Scope, { env, directory }: Gathering) {
  const files = filesOf(scope, env, directory);
  const present = (paths: readonly string[]) =>
    paths.map(readConfigFile).filter((file) => file.kind !== "absent");
  return { server: present(files.server), terminal: present(files.terminal) };
}

function entriesIn(file: ReturnType<typeof readConfigFile>): readonly WrittenEntry[] {
  if (file.kind !== "present") return [];
  const { path, document } = file;
  return ourEntries(path, document.text).map(({ spec }) => ({ path, spec }));
}

function pluginsIn(resolved: ResolvedConfig): readonly LoadedPlugin[] {
  if (resolved.kind === "refused") return [];
  return resolved.plugins.map(({ spec, source }) => ({
    spec: asWritten(spec),
    source,
    isOurs: isOurs(spec, `${source}/opencode.json`),
  }));
}
