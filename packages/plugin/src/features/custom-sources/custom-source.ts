// Creates the sources that a configuration describes (files, globs, commands) and their texts.
// Folder: Custom Context Sources, from the configuration or from other plugins.
import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve } from "node:path";
import * as z from "zod";
import { neutralize } from "../../context/frames.ts";
import { compareKeys, toSourceKey } from "../../context/key.ts";
import {
  absent,
  isUnavailable,
  type LoadResult,
  type SourceDefinition,
  Unavailable,
} from "../../context/source.ts";
import { combine, createSystemContext, type SystemContext } from "../../context/system-context.ts";
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { findProjectPlace } from "../../project/find-project.ts";
import {
  type CustomSourceEntry,
  type CustomSourceSpec,
  customSourceDefaults,
  type Origin,
  toCustomSourceSpec,
} from "../../sources/custom-spec.ts";
import { FileCache, isFileText } from "../../sources/file-cache.ts";
import { defaultWalkBounds, GlobWalker } from "../../sources/glob-walk.ts";
import { Sampler } from "../../sources/instruction-urls.ts";
import { Confinement, isWithin, limitText } from "../../sources/read-file.ts";
import { runCommand, toLoadResult } from "../../sources/run-command.ts";
import { withTimeout } from "../../sources/with-timeout.ts";

// Makes text from outside harmless, and fills it into the templates of custom sources.

const ESCAPE_CHAR = String.fromCharCode(27);
const BELL_CHAR = String.fromCharCode(7);

/** Matches colours, cursor moves and titles, as programs write them for a terminal. */
const TERMINAL_SEQUENCE_PATTERN = new RegExp(
  `${ESCAPE_CHAR}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${BELL_CHAR}${ESCAPE_CHAR}]*(?:${BELL_CHAR}|${ESCAPE_CHAR}\\\\))`,
  "g",
);

/** Matches the remaining control characters, and the marks that change the direction of text. */
const CONTROL_CHARS_PATTERN = /(?![\n\t])[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** Turns a text from outside into plain lines for the model, with nothing that steers a reader. */
export function sanitizeText(text: string): string {
  const plain = text
    .replace(/^\uFEFF/, "")
    .replace(TERMINAL_SEQUENCE_PATTERN, "")
    .replace(/\r\n?/g, "\n")
    .replace(CONTROL_CHARS_PATTERN, "\uFFFD");
  return neutralize(plain);
}

/** The values that replace a template's words in braces. */
interface TemplateValues {
  readonly value: string;
  readonly previous: string;
}

/** Fills a template in a single pass, so that braces within a value stay text. */
export function fillTemplate(template: string, values: TemplateValues): string {
  return template.replace(/\{(value|previous)\}/g, (_braces, name: keyof TemplateValues) =>
    renderValue(values[name]),
  );
}

/** Renders a value. An empty file is context too, so the model reads that it is empty. */
function renderValue(value: string): string {
  return value.trim() === "" ? "(empty)" : value;
}

// Loads a file or a glob of files for a custom source.

/** Reads a file's text, its end trimmed; absent if there is no file. An unchanged file costs one stat. */
export async function loadFile(path: string, files: FileCache): Promise<LoadResult<string>> {
  const seen = await files.observe(path);
  if (seen === "missing" || seen === "outside") return absent;
  if (seen === "irregular") return new Unavailable(`${path} is not a regular file`);
  return isFileText(seen) ? seen.content.trimEnd() : seen;
}

/** The directory, caches and bounds with which a glob is read. */
interface GlobDeps {
  readonly directory: string;
  readonly files: FileCache;
  readonly globs: GlobWalker;
  readonly confinement: Confinement | null;
}

/** Returns the texts of all matching files, sorted by path, each below its path; absent if none matches. */
export async function loadGlob(pattern: string, deps: GlobDeps): Promise<LoadResult<string>> {
  const { directory, files, globs, confinement } = deps;
  const place = splitPattern(pattern, directory);
  const found = await globs.findFiles(place.pattern, {
    cwd: place.cwd,
    dots: "unmatched",
    confinement,
  });
  if (found instanceof Unavailable) return found;
  const paths = found.toSorted();
  files.keepFor(pattern, new Set(paths));
  const texts: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    // Text beyond the limit would be cut off, so it is not read.
    if (bytes > files.limitBytes) break;
    const seen = await files.observe(path);
    if (seen === "irregular" || seen === "outside") continue;
    // A file that was listed a moment ago and is missing now was not seen to be absent.
    if (seen === "missing") return new Unavailable(`${path} vanished`);
    if (!isFileText(seen)) return seen;
    const text = `${toDisplayPath(path, directory)}:\n${seen.content.trimEnd()}`;
    texts.push(text);
    bytes += Buffer.byteLength(text);
  }
  return texts.length === 0 ? absent : limitText(texts.join("\n\n"), files.limitBytes);
}

/**
 * Splits a pattern into the folder at which the walk begins and the pattern within that folder. Names of
 * folders above the directory are not part of the pattern.
 */
function splitPattern(pattern: string, directory: string): { cwd: string; pattern: string } {
  if (pattern.startsWith("~/")) return { cwd: homedir(), pattern: pattern.slice(2) };
  if (isAbsolute(pattern)) return { cwd: "/", pattern: pattern.slice(1) };
  return { cwd: directory, pattern };
}

/** Resolves a path: `~/` is the user's home folder; relative paths start at the directory. */
export function toAbsolutePath(path: string, directory: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(directory, path);
}

function toDisplayPath(path: string, directory: string): string {
  return isWithin(directory, path) ? relative(directory, path) : path;
}

/** The dependencies of a Location's own sources. */
interface CustomSourceDeps {
  /** The Location's directory, to which paths are relative and in which commands run. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Ends running commands when it is aborted. */
  readonly signal: AbortSignal;
  /** The place that files must lie within; null allows any file. */
  readonly confinement: Confinement | null;
}

/** The most files of a glob; more are not context, and reading them would delay a model call. */
const MAX_GLOB_FILES = 256;

type Loader = () => Promise<LoadResult<string>>;

const valueSchema = z.string();

/** Creates the source that an entry of the configuration describes. */
export function createCustomSource(
  spec: CustomSourceSpec,
  deps: CustomSourceDeps,
): SourceDefinition<string> {
  const { key, texts, need } = spec;
  return {
    key,
    schema: valueSchema,
    load: limitLoadTime(spec, serializeLoads(createLoader(spec, deps))),
    readsFilesAlone: () => spec.origin.kind === "file" || spec.origin.kind === "glob",
    baseline: (value) => fillTemplate(texts.baseline, { value, previous: "" }),
    update: (previous, value) => fillTemplate(texts.update, { value, previous }),
    removed: (previous) => fillTemplate(texts.removed, { value: "", previous }),
    ...(need === "required" && { required: true as const }),
  };
}

function createLoader(
  { origin, maxBytes, timeoutMs }: CustomSourceSpec,
  deps: CustomSourceDeps,
): Loader {
  const { directory, now, confinement } = deps;
  const files = new FileCache({ limitBytes: maxBytes, now: Date.now, confinement });
  switch (origin.kind) {
    case "file": {
      const path = toAbsolutePath(origin.path, directory);
      return () => loadFile(path, files);
    }
    case "glob": {
      const globs = new GlobWalker({ ...defaultWalkBounds, files: MAX_GLOB_FILES });
      return () => loadGlob(origin.pattern, { directory, files, globs, confinement });
    }
    case "variable":
      return async () => readVariable(deps.env[origin.name], maxBytes);
    case "command": {
      const env = selectCommandEnvironment(origin, deps.env);
      const { signal } = deps;
      const { commandTimeoutMs } = customSourceDefaults;
      const limits = { timeoutMs: timeoutMs ?? commandTimeoutMs, maxBytes };
      const ask = async () =>
        toLoadResult(await runCommand({ ...origin, ...limits, directory, env, signal }));
      const sampler = new Sampler({ refreshMs: origin.refreshMs, ask, now });
      return () => sampler.load();
    }
  }
}

function readVariable(value: string | undefined, maxBytes: number): LoadResult<string> {
  return value === undefined ? absent : limitText(value, maxBytes);
}

/** Selects the variables that a command needs or that are named for it, so no key is passed by accident. */
function selectCommandEnvironment(
  origin: Extract<Origin, { kind: "command" }>,
  env: CustomSourceDeps["env"],
): Readonly<Record<string, string>> {
  const names = ["PATH", "HOME", "LANG", ...origin.passEnv];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Runs one load at a time: a call during a load gets its result, so a load that hangs is not repeated. */
function serializeLoads(load: Loader): Loader {
  let running: Promise<LoadResult<string>> | null = null;
  return () => {
    running ??= load().finally(() => {
      running = null;
    });
    return running;
  };
}

/** Limits a load's time. A command has ended by that limit, because its own equal limit began earlier. */
function limitLoadTime({ timeoutMs }: CustomSourceSpec, load: Loader): Loader {
  const read = async () => sanitizeLoaded(await load());
  if (timeoutMs === null) return read;
  const createTimeoutResult = () => new Unavailable(`no answer within ${timeoutMs} ms`);
  return () => withTimeout(timeoutMs, read(), createTimeoutResult);
}

function sanitizeLoaded(loaded: LoadResult<string>): LoadResult<string> {
  return loaded === absent || isUnavailable(loaded) ? loaded : sanitizeText(loaded);
}

// Creates a Location's sources from the configuration, which its sessions share.

export function createCustomSourcesFeature({
  location,
  config,
  confined,
  env,
  now,
}: FeatureContext): FeatureInstance {
  const entries = config.sources;
  const { directory } = location;
  const { context, close } = createConfiguredSources({ directory, entries, confined, env, now });
  return { sources: () => context, hooks: { closed: close } };
}

export interface ConfiguredSources {
  readonly context: SystemContext;
  /** Ends commands that are still running. */
  close(): void;
}

interface ConfiguredSourcesInput extends Omit<CustomSourceDeps, "signal" | "confinement"> {
  readonly entries: Readonly<Record<string, CustomSourceEntry>>;
  /** Entries of a project's own file, each with a function called for every path that leads out of it. */
  readonly confined: ReadonlyMap<string, (path: string) => void>;
}

/** Creates sources that all sessions of a Location share, so a command runs once for all of them. */
export function createConfiguredSources(input: ConfiguredSourcesInput): ConfiguredSources {
  const { entries, confined, ...deps } = input;
  const closing = new AbortController();
  const { root } = findProjectPlace(deps.directory);
  const createConfinement = (key: string) => {
    const refused = confined.get(key);
    return refused ? new Confinement(root, refused) : null;
  };
  const contexts = Object.entries(entries)
    .sort(([left], [right]) => compareKeys(left, right))
    .map(([key, entry]) => {
      const confinement = createConfinement(key);
      const spec = toCustomSourceSpec(toSourceKey(key), entry);
      return createSystemContext(
        createCustomSource(spec, { ...deps, signal: closing.signal, confinement }),
      );
    });
  return { context: combine(contexts), close: () => closing.abort() };
}
