// Gathers the facts, once.
// Folder: The facts that the checks need, gathered once.
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PLUGIN_LIST, pluginEntries } from "../../config-file/plugin-list.ts";
import { type ConfigFile, readConfigFile } from "../../config-file/read-file.ts";
import { type Scope, scopeFiles } from "../../host/config-places.ts";
import { type FoundHost, findHost, type HostSearch, OPENCODE } from "../../host/find-host.ts";
import { hostModels } from "../../host/host-models.ts";
import { type Environment, isOn, resolvePlaces } from "../../host/places.ts";
import { HOST_RANGE } from "../../host/require-host.ts";
import { type ResolvedConfig, readResolvedConfig } from "../../host/resolved-config.ts";
import { testedVersions } from "../../host/tested-versions.ts";
import { isInRange, isOpenCode2 } from "../../host/version-range.ts";
import { PROMPTS, runTrial, type Trial } from "../../live/trial.ts";
import { judgeTrial } from "../../live/verdict.ts";
import { importComplaint } from "../../setup/import-plugin.ts";
import { journalPath, specsOfSetup } from "../../setup/journal.ts";
import { ourEntries } from "../../setup/plan.ts";
import {
  isOurs,
  isPathSpec,
  OPENCODE_2_LISTING,
  OPENCODE_LISTING,
  pathOfSpec,
} from "../../setup/plugin-identity.ts";
import { bringsTerminalPart, pluginOfClone } from "../../setup/resolve-wish.ts";
import type { Progress } from "../../terminal/progress.ts";
import { findCulprits } from "./alone.ts";
import { databaseFacts } from "./database.ts";
import type { Facts, WrittenEntry } from "./facts.ts";
import { wrongFolders } from "./folder-variables.ts";
import { explainHang } from "./hang.ts";
import { lastLogLines } from "./log-tail.ts";
import { namedModels } from "./named-models.ts";
import { cachedPackages } from "./packages.ts";
import { patienceWith } from "./patience.ts";
import { piFacts } from "./pi.ts";
import { type LoadedPlugin, missingEntries, optionLayers } from "./plugins.ts";
import { settingsFacts } from "./settings.ts";
import { teamFacts } from "./team.ts";
import { vectorsFacts } from "./vectors.ts";

interface Gathering {
  readonly directory: string;
  readonly env: Environment;
  /** The words that start the command line here, like `npx session-runtime`. */
  readonly command: string;
  /** Says whether to start the real host. */
  readonly live: "try" | "skip";
  readonly progress: Progress;
}

/** Gathers all facts once, and changes nothing of the user's. */
export async function gatherFacts(gathering: Gathering): Promise<Facts> {
  const { directory, env, command, progress } = gathering;
  progress.step("Looking for OpenCode");
  const unusable = wrongFolders(env);
  const search = await findHost(env, OPENCODE);
  const files = (["global", "project"] as const).map((scope) => filesIn(scope, gathering));
  const configFiles = files.flatMap(({ server, terminal }) => [...server, ...terminal]);
  const written = specsOfSetup(journalPath(resolvePlaces(env).runtimeData));
  progress.step("Reading the config");
  const host = unusable.some(({ fault }) => fault === "no-folder") ? null : askable(search);
  const entries = files.flatMap(({ server }) =>
    server.flatMap((file) => pluginEntries(file, PLUGIN_LIST)),
  );
  const patienceMs = host === null ? 0 : patienceWith(host, entries, env);
  const resolved =
    host === null ? null : await readResolvedConfig(host, { directory, env, patienceMs });
  const plugins = resolved?.kind === "resolved" ? pluginsIn(resolved, written) : [];
  progress.step("Checking the database");
  const database = await databaseFacts(env);
  const settings = await settingsFacts(directory, env, optionLayers(plugins, configFiles));
  const team = await teamFacts(settings.config, env);
  const vectors = await vectorsFacts(settings.config, env);
  const named = namedModels(settings.config);
  const isAsked =
    named.length > 0 && resolved?.kind === "resolved" && resolved.loading.kind === "done";
  const offered =
    host === null || !isAsked ? null : await hostModels(host, { directory, env, patienceMs });
  const seen = await lookAlive(gathering, host, resolved, { plugins, settings, patienceMs });
  progress.step("Looking for Pi");
  const pi = await piFacts({ directory, env, live: gathering.live, written });
  const listEntries = (list: readonly ConfigFile[]) =>
    list.flatMap((file) => entriesIn(file, written));
  return {
    command,
    clonePlugin: pluginOfClone(),
    env,
    platform: process.platform,
    directory,
    wrongFolders: unusable,
    search,
    testedHosts: testedVersions(),
    configFiles,
    written: files.flatMap(({ server }) => listEntries(server)),
    writtenTerminal: files.flatMap(({ terminal }) => listEntries(terminal)),
    gone: missingEntries(configFiles, written),
    resolved,
    plugins,
    bringsTerminalPart: plugins.some(
      ({ spec, isOurs: isOur }) => isOur && bringsTerminalPart(spec, env),
    ),
    ...seen,
    settings,
    log: lastLogLines(settings.logBeside(database.path)),
    packages: cachedPackages(env),
    database,
    team,
    models: { named, offered },
    vectors,
    pi,
  };
}

/** Returns the host if it can answer our questions, which unsupported versions and OpenCode 2 don't know. */
function askable({ found }: HostSearch): FoundHost | null {
  if (found === null || isOpenCode2(found.version)) return null;
  return isInRange(found.version, HOST_RANGE) ? found : null;
}

/** Returns a path for the file URL that the host gives for it; other specs stay. */
function asWritten(spec: string): string {
  return spec.startsWith("file:///") ? fileURLToPath(spec) : spec;
}

type TrialFacts = Pick<Facts, "importError" | "trial" | "culprits" | "hang">;
/** Allows for the start of a trial, in addition to its prompts. */
const START_MS = 3_000;
const UNSEEN: TrialFacts = { importError: null, trial: null, culprits: [], hang: null };

async function lookAlive(
  { live, directory, env, progress }: Gathering,
  host: FoundHost | null,
  resolved: ResolvedConfig | null,
  known: Pick<Facts, "plugins" | "settings"> & { readonly patienceMs: number },
): Promise<TrialFacts> {
  const { plugins, settings, patienceMs } = known;
  if (live === "skip" || host === null || resolved?.kind !== "resolved") return UNSEEN;
  const asking = { host, plugins, env, patienceMs };
  if (resolved.loading.kind === "hung") {
    progress.step("Looking for the plugin that makes OpenCode hang");
    const { withoutMs } = resolved.loading;
    return { ...UNSEEN, hang: await explainHang({ ...asking, at: "loading", withoutMs }) };
  }
  const ours = plugins.find((plugin) => plugin.isOurs);
  // If the plugin does not run, a start shows nothing that another check doesn't explain better.
  if (ours === undefined || !settings.isEnabled || isOn(env.OPENCODE_PURE)) return UNSEEN;
  progress.step("Starting OpenCode against a provider on this machine");
  const { mcpServers } = resolved;
  const attempt = (timeoutMs: number) => {
    const deadline = AbortSignal.timeout(timeoutMs);
    return runTrial({ host, directory, env, mcpServers, prompts: PROMPTS, deadline });
  };
  let trial = await attempt(patienceMs + START_MS);
  if (hangs(trial)) {
    progress.step("Looking for the plugin that makes OpenCode hang");
    const hang = await explainHang({ ...asking, at: "prompting", withoutMs: null });
    if (hang.without === "host" || hang.culprits.length > 0) return { ...UNSEEN, trial, hang };
    // Each plugin alone answers, so either they hang together, or the machine was briefly busy.
    trial = await attempt(patienceMs + START_MS + hang.waitedMs);
    if (hangs(trial)) return { ...UNSEEN, trial, hang };
  }
  const isLoaded = trial.kind === "ran" && judgeTrial(trial).isLoaded;
  const importError = isLoaded ? null : await importComplaint(host, ours.spec, ours.source, env);
  const tell = (spec: string) => progress.step(`Trying ${spec} alone`);
  const culprits = isSpoilt(trial)
    ? await findCulprits(host, plugins, { env, patienceMs }, tell)
    : [];
  return { importError, trial, culprits, hang: null };
}

function hangs(trial: Trial): boolean {
  return trial.kind === "failed" && trial.fault === "hangs";
}

function isSpoilt(trial: Trial): boolean {
  if (trial.kind === "failed") return false;
  const verdict = judgeTrial(trial);
  return verdict.isLoaded && verdict.break !== null;
}

function filesIn(scope: Scope, { env, directory }: Gathering) {
  const files = scopeFiles(scope, env, directory);
  const present = (paths: readonly string[]) =>
    paths.map(readConfigFile).filter((file) => file.kind !== "absent");
  return { server: present(files.server), terminal: present(files.terminal) };
}

function entriesIn(file: ConfigFile, written: ReadonlySet<string>): readonly WrittenEntry[] {
  if (file.kind !== "present") return [];
  const { path, document } = file;
  return [OPENCODE_LISTING, OPENCODE_2_LISTING].flatMap((listing) =>
    ourEntries(path, document.text, { listing, written }).map(({ spec }) => ({
      ...{ path, spec, list: listing.form.key },
      isFile: isPathSpec(spec) && isFileAt(pathOfSpec(spec, path)),
    })),
  );
}

function isFileAt(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function pluginsIn(
  resolved: Extract<ResolvedConfig, { kind: "resolved" }>,
  written: ReadonlySet<string>,
): readonly LoadedPlugin[] {
  return resolved.plugins.map(({ spec, options, source }) => ({
    spec: asWritten(spec),
    options,
    source,
    isOurs: isOurs(spec, `${source}/opencode.json`, { listing: OPENCODE_LISTING, written }),
  }));
}
