import type { JsonObject } from "../json.ts";

interface Economy {
  readonly config: JsonObject;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Takes from a host what costs it most and what no test looks at: its copies of the project's files
 * (a third of a turn's work) and the engine's last optimiser, which pays off after minutes only.
 * `npm test` asks for it; long runs, benchmarks and the demo have the host as it ships.
 */
export const ECONOMY: Economy =
  process.env.HOST_ECONOMY === "1"
    ? { config: { snapshot: false }, env: { BUN_JSC_useFTLJIT: "0" } }
    : { config: {}, env: {} };
