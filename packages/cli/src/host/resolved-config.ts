// The config as the host itself puts it together.
import { setTimeout as delay } from "node:timers/promises";
import type { FoundHost } from "./find-host.ts";
import type { Environment } from "./places.ts";
import { type ProgramRun, runProgram } from "./run-program.ts";

/** A plugin as the host will load it, and the config that names it. */
interface ResolvedPlugin {
  readonly spec: string;
  /** What its entry says beside the spec; undefined for an entry that is only a spec. */
  readonly options: unknown;
  readonly source: string;
}

/** The config as the host itself puts it together for a folder. It may hold keys: never print it. */
export type ResolvedConfig =
  | {
      readonly kind: "resolved";
      readonly plugins: readonly ResolvedPlugin[];
      readonly mcpServers: readonly string[];
      /** The host loads plugins for this answer too: `hung` if it gave it only without them. */
      readonly loading: "done" | "hung";
    }
  | { readonly kind: "refused"; readonly reason: string }
  /** It gave no answer, not even without plugins. */
  | { readonly kind: "hung"; readonly patienceMs: number };

export interface ConfigQuestion {
  readonly directory: string;
  readonly env: Environment;
  readonly patienceMs: number;
}

/** Whoever waits for a host that hangs needn't wait for the next question too. */
const HEAD_START_MS = 4_000;

/** Asks `opencode debug config`; where a plugin keeps the host from answering, without plugins. */
export async function readResolvedConfig(
  host: FoundHost,
  question: ConfigQuestion,
): Promise<ResolvedConfig> {
  const asked = askConfig(host, question);
  const [run, pure] = await Promise.all([asked, askWithoutPlugins(host, question, asked)]);
  if (run.end !== "out-of-time" || pure === null) return resolvedIn(run, "done");
  if (pure.end === "out-of-time") return { kind: "hung", patienceMs: question.patienceMs };
  return resolvedIn(pure, "hung");
}

/** Without plugins, shortly before the patience with the plugins ends; null if they are done by then. */
async function askWithoutPlugins(
  host: FoundHost,
  question: ConfigQuestion,
  withPlugins: Promise<ProgramRun>,
): Promise<ProgramRun | null> {
  const { patienceMs } = question;
  const late = delay(Math.max(0, patienceMs - HEAD_START_MS), "late", { ref: false });
  if ((await Promise.race([withPlugins, late])) !== "late") return null;
  const env = { ...question.env, OPENCODE_PURE: "1" };
  return askConfig(host, { ...question, env });
}

/** `opencode debug config` in a folder: it reads the config and loads the plugins. */
export function askConfig(
  host: FoundHost,
  { directory, env, patienceMs }: ConfigQuestion,
): Promise<ProgramRun> {
  const quiet = { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" };
  return runProgram(host.path, ["debug", "config"], {
    cwd: directory,
    env: { ...env, ...quiet },
    timeoutMs: patienceMs,
  });
}

function resolvedIn({ exitCode, out, err }: ProgramRun, loading: "done" | "hung"): ResolvedConfig {
  if (exitCode !== 0) {
    const how = exitCode === null ? "was ended by a signal" : `ended with exit code ${exitCode}`;
    return { kind: "refused", reason: reasonIn(err) || `\`opencode debug config\` ${how}.` };
  }
  const config = configIn(out);
  if (config === null) return { kind: "refused", reason: "`opencode debug config` gave no JSON." };
  const origins: readonly unknown[] = Array.isArray(config.plugin_origins)
    ? config.plugin_origins
    : [];
  return {
    kind: "resolved",
    plugins: origins.map((origin) => {
      const { spec, source } = objectOf(origin);
      const [name, options] = Array.isArray(spec) ? spec : [spec];
      return { spec: String(name), options, source: String(source) };
    }),
    mcpServers: Object.keys(objectOf(config.mcp)),
    loading,
  };
}

function configIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return objectOf(JSON.parse(text.slice(text.indexOf("{"))));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The host's message without the copy of the file that it adds: that may hold keys. */
function reasonIn(message: string): string {
  return (
    message
      .replace(/--- JSONC Input ---[\s\S]*?--- Errors ---/, "")
      .replace(/^ +Line \d+:.*$\n?^ *\^$/gm, "")
      .replace(/--- End ---/, "")
      .replace(/^Error: /, "")
      // What stands in curly quotes is left out of a report for others.
      .replace(/\bgot "([^"\n]*)"/g, "got \u201c$1\u201d")
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "")
      .join("; ")
  );
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
