// Reads the config as the host itself merges it.
import { setTimeout as delay } from "node:timers/promises";
import { parseFields, toFields } from "@session-runtime/opencode/context/fields";
import type { FoundHost } from "./find-host.ts";
import type { Environment } from "./places.ts";
import { type ProgramRun, runProgram } from "./run-program.ts";
import { FETCHES_NOTHING } from "./throwaway.ts";

/** Describes a plugin that the host will load, and the config that names it. */
interface ResolvedPlugin {
  readonly spec: string;
  /** The entry's options besides the spec; undefined for an entry that is only a spec. */
  readonly options: unknown;
  readonly source: string;
}

/** Holds the config that the host merges for a folder. It may hold keys: never print it. */
export type ResolvedConfig =
  | {
      readonly kind: "resolved";
      readonly plugins: readonly ResolvedPlugin[];
      readonly mcpServers: readonly string[];
      /** Says whether it names the model to use, or a small one. */
      readonly namesModel: boolean;
      readonly loading: Loading;
    }
  | { readonly kind: "refused"; readonly reason: string }
  /** The host gave no answer, not even without plugins. */
  | { readonly kind: "hung"; readonly patienceMs: number };

/** Says whether the host answered with its plugins loaded; `hung` if only without them, and how fast. */
type Loading = { readonly kind: "done" } | { readonly kind: "hung"; readonly withoutMs: number };

interface ConfigQuestion {
  readonly directory: string;
  readonly env: Environment;
}

/** Asks without plugins this long before the patience ends, so that a hanging host costs no second full wait. */
const HEAD_START_MS = 4_000;
/** Limits the time with plugins, as a multiple of the time without them at the same moment. */
const TIMES = 3;
/** Multiplies the patience for the host without plugins, because the machine may be briefly busy. */
const BUSY_TIMES = 2;

/** Asks `opencode debug config`; if a plugin keeps the host from answering, asks without plugins. */
export async function readResolvedConfig(
  host: FoundHost,
  question: ConfigQuestion & { readonly patienceMs: number },
): Promise<ResolvedConfig> {
  const { patienceMs } = question;
  const began = performance.now();
  const deadline = new AbortController();
  const asked = askConfig(host, { ...question, deadline: deadline.signal });
  const late = delay(Math.max(0, patienceMs - HEAD_START_MS), null, { ref: false });
  const inTime = await Promise.race([asked, late]);
  if (inTime !== null) return parseResolvedConfig(inTime, { kind: "done" });
  const bare = await askWithoutPlugins(host, question, asked);
  const isHung = bare.run.end === "out-of-time";
  const limitMs = isHung ? 0 : Math.max(patienceMs, TIMES * bare.tookMs);
  const timer = setTimeout(() => deadline.abort(), began + limitMs - performance.now());
  const run = await asked;
  clearTimeout(timer);
  if (run.end !== "out-of-time") return parseResolvedConfig(run, { kind: "done" });
  if (isHung) return { kind: "hung", patienceMs: patienceMs * BUSY_TIMES };
  return parseResolvedConfig(bare.run, { kind: "hung", withoutMs: bare.tookMs });
}

/** Asks without plugins, and gives up if the answer with plugins comes first. */
async function askWithoutPlugins(
  host: FoundHost,
  question: ConfigQuestion & { readonly patienceMs: number },
  withPlugins: Promise<ProgramRun>,
): Promise<{ readonly run: ProgramRun; readonly tookMs: number }> {
  const began = performance.now();
  const needless = new AbortController();
  const giveUp = () => needless.abort();
  withPlugins.then(giveUp, giveUp);
  const tooLong = AbortSignal.timeout(question.patienceMs * BUSY_TIMES);
  const run = await askConfig(host, {
    ...question,
    env: { ...question.env, OPENCODE_PURE: "1" },
    deadline: AbortSignal.any([needless.signal, tooLong]),
  });
  return { run, tookMs: performance.now() - began };
}

/** Runs `opencode debug config` in a folder, which reads the config and loads the plugins. */
export function askConfig(
  host: FoundHost,
  { directory, env, deadline }: ConfigQuestion & { readonly deadline: AbortSignal },
): Promise<ProgramRun> {
  return runProgram(host.path, ["debug", "config"], {
    cwd: directory,
    env: { ...env, ...FETCHES_NOTHING },
    deadline,
  });
}

function parseResolvedConfig({ exitCode, out, err }: ProgramRun, loading: Loading): ResolvedConfig {
  if (exitCode !== 0) {
    const how = exitCode === null ? "was ended by a signal" : `ended with exit code ${exitCode}`;
    return { kind: "refused", reason: reasonIn(err) || `\`opencode debug config\` ${how}.` };
  }
  const config = parseFields(out.slice(out.indexOf("{")));
  if (config === null)
    return { kind: "refused", reason: "`opencode debug config` printed no JSON." };
  const origins: readonly unknown[] = Array.isArray(config.plugin_origins)
    ? config.plugin_origins
    : [];
  return {
    kind: "resolved",
    plugins: origins.map((origin) => {
      const { spec, source } = toFields(origin);
      const [name, options] = Array.isArray(spec) ? spec : [spec];
      return { spec: String(name), options, source: String(source) };
    }),
    mcpServers: Object.keys(toFields(config.mcp)),
    namesModel: [config.model, config.small_model].some((name) => typeof name === "string"),
    loading,
  };
}

/** Returns the host's message without its copy of the file, which may hold keys. */
function reasonIn(message: string): string {
  return (
    message
      .replace(/--- JSONC Input ---[\s\S]*?--- Errors ---/, "")
      .replace(/^ +Line \d+:.*$\n?^ *\^$/gm, "")
      .replace(/--- End ---/, "")
      .replace(/^Error: /, "")
      // A report for others leaves out text in curly quotes.
      .replace(/\bgot "([^"\n]*)"/g, "got \u201c$1\u201d")
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "")
      .join("; ")
  );
}
