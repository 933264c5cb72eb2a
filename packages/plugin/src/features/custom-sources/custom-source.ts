// The source that a configuration entry describes.
// Folder: Custom Context Sources, from the configuration or from other plugins.
import * as z from "zod";
import {
  absent,
  isUnavailable,
  type LoadResult,
  type SourceDefinition,
  Unavailable,
} from "../../context/source.ts";
import type { Confinement } from "../../sources/confinement.ts";
import {
  type CustomSourceSpec,
  customSourceDefaults,
  type Origin,
} from "../../sources/custom-spec.ts";
import { FileCache } from "../../sources/file-cache.ts";
import { GlobWalker, walkBounds } from "../../sources/glob-walk.ts";
import { runCommand, toLoaded } from "../../sources/run-command.ts";
import { Sampler } from "../../sources/sampler.ts";
import { limitText } from "../../sources/text-limit.ts";
import { withTimeout } from "../../sources/with-timeout.ts";
import { absolutePath, loadFile, loadGlob } from "./files.ts";
import { fill, sanitizeText } from "./texts.ts";

/** The dependencies of a Location's own sources. */
export interface CustomSourceDeps {
  /** The Location's directory: paths are relative to it, and commands run in it. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Ends running commands. */
  readonly signal: AbortSignal;
  /** Files must lie within it; null allows any file. */
  readonly confinement: Confinement | null;
}

/** More files than this are not context, and reading them would hold a model call. */
const maxFiles = 256;

type Loader = () => Promise<LoadResult<string>>;

const valueSchema = z.string();

/** The source that an entry of the configuration describes. */
export function customSource(
  spec: CustomSourceSpec,
  deps: CustomSourceDeps,
): SourceDefinition<string> {
  const { key, texts, need } = spec;
  return {
    key,
    schema: valueSchema,
    load: inTime(spec, oneAtATime(createLoader(spec, deps))),
    readsFilesAlone: () => spec.origin.kind === "file" || spec.origin.kind === "glob",
    baseline: (value) => fill(texts.baseline, { value, previous: "" }),
    update: (previous, value) => fill(texts.update, { value, previous }),
    removed: (previous) => fill(texts.removed, { value: "", previous }),
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
      const path = absolutePath(origin.path, directory);
      return () => loadFile(path, files);
    }
    case "glob": {
      const globs = new GlobWalker({ ...walkBounds, files: maxFiles });
      return () => loadGlob(origin.pattern, { directory, files, globs, confinement });
    }
    case "variable":
      return async () => variable(deps.env[origin.name], maxBytes);
    case "command": {
      const env = commandEnvironment(origin, deps.env);
      const { signal } = deps;
      const { commandTimeoutMs } = customSourceDefaults;
      const limits = { timeoutMs: timeoutMs ?? commandTimeoutMs, maxBytes };
      const ask = async () =>
        toLoaded(await runCommand({ ...origin, ...limits, directory, env, signal }));
      const sampler = new Sampler({ refreshMs: origin.refreshMs, ask, now });
      return () => sampler.load();
    }
  }
}

function variable(value: string | undefined, maxBytes: number): LoadResult<string> {
  return value === undefined ? absent : limitText(value, maxBytes);
}

/** A command is given what it can't do without, and what was named for it: no keys by accident. */
function commandEnvironment(
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

/** A load that hangs is joined, not started again at every call. */
function oneAtATime(load: Loader): Loader {
  let running: Promise<LoadResult<string>> | null = null;
  return () => {
    running ??= load().finally(() => {
      running = null;
    });
    return running;
  };
}

/** A command ends by then: it is killed after the same time, which began earlier. */
function inTime({ timeoutMs }: CustomSourceSpec, load: Loader): Loader {
  const read = async () => plain(await load());
  if (timeoutMs === null) return read;
  const late = () => new Unavailable(`no answer within ${timeoutMs} ms`);
  return () => withTimeout(timeoutMs, read(), late);
}

function plain(loaded: LoadResult<string>): LoadResult<string> {
  return loaded === absent || isUnavailable(loaded) ? loaded : sanitizeText(loaded);
}
