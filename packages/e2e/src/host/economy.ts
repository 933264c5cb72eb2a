// What hosts under test skip in `npm test`.
import { join } from "node:path";
import type { JsonObject } from "../json.ts";

interface Economy {
  readonly config: JsonObject;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Takes from a host what costs it most and what no test looks at; together, half of a short session's
 * work. `npm test` asks for it; long runs, benchmarks and the demo have the host as it ships.
 */
export const ECONOMY: Economy =
  process.env.HOST_ECONOMY === "1"
    ? {
        // Copies of the project's files, made at each step.
        config: { snapshot: false },
        env: {
          // A catalogue of the models that the tests meet, in the form of models.dev, for one of
          // two hundred providers that the host reads at its first prompt.
          OPENCODE_MODELS_PATH: join(import.meta.dir, "../../fixtures/models.json"),
          // The engine's last optimiser, which pays off after minutes only.
          BUN_JSC_useFTLJIT: "0",
          // Code is compiled later: most of a short session's runs a few times only.
          BUN_JSC_thresholdForJITAfterWarmUp: "5000",
          BUN_JSC_thresholdForOptimizeAfterWarmUp: "10000",
        },
      }
    : { config: {}, env: {} };
