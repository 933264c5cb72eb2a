// The config as the host itself puts it together.
import type { FoundHost } from "./find-host.ts";
import type { Environment } from "./places.ts";
import { runProgram } from "./run-program.ts";

/** A plugin as the host will load it, and the config that names it. */
export interface ResolvedPlugin {
  readonly spec: string;
  readonly source: string;
}

/** The config as the host itself puts it together for a folder. It may hold keys: never print it. */
export type ResolvedConfig =
  | {
      readonly kind: "resolved";
      readonly plugins: readonly ResolvedPlugin[];
      readonly mcpServers: readonly string[];
    }
  | { readonly kind: "refused"; readonly reason: string };

const TIMEOUT_MS = 60_000;

/** Asks `opencode debug config`. */
export async function readResolvedConfig(
  host: FoundHost,
  directory: string,
  env: Environment,
): Promise<ResolvedConfig> {
  const quiet = { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" };
  const { exitCode, out, err } = await runProgram(host.path, ["debug", "config"], {
    cwd: directory,
    env: { ...env, ...quiet },
    timeoutMs: TIMEOUT_MS,
  });
  if (exitCode !== 0) return { kind: "refused", reason: reasonIn(err) };
  const config = configIn(out);
  if (config === null) return { kind: "refused", reason: "`opencode debug config` gave no JSON" };
  const origins: readonly unknown[] = Array.isArray(config.plugin_origins)
    ? config.plugin_origins
    : [];
  return {
    kind: "resolved",
    plugins: origins.map((origin) => {
      const { spec, source } = objectOf(origin);
      return { spec: String(Array.isArray(spec) ? spec[0] : spec), source: String(source) };
    }),
    mcpServers: Object.keys(objectOf(config.mcp)),
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
  return message
    .replace(/--- JSONC Input ---[\s\S]*?--- Errors ---/, "")
    .replace(/^ +Line \d+:.*$\n?^ *\^$/gm, "")
    .replace(/--- End ---/, "")
    .replace(/^Error: /, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("; ");
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
