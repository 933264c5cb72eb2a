// What hosts under test skip in `npm test`.
import { existsSync, readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../json.ts";

interface Economy {
  readonly config: JsonObject;
  readonly env: Readonly<Record<string, string>>;
  /** Whether a host that a whole file shares has to be restarted before its next test. */
  hasGrown(pid: number): boolean;
}

const GB = 1024 ** 3;

/** Four hosts beside each other, as large as they may become, and the rest of the machine. */
const MIN_MEMORY_BYTES = 12 * GB;

/** Four of them take half of it: a restart costs as much as fifteen turns. */
const MAX_HOST_KB = Math.max(2 * GB, totalmem() / 8) / 1024;

/**
 * Whether hosts can do without a garbage collector, which takes a quarter of a short session's work:
 * they grow by 50 MB a turn, so that those of long files are watched and restarted.
 */
const KEEPS_GARBAGE = totalmem() >= MIN_MEMORY_BYTES && existsSync("/proc/self/status");

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
          // Compiles later: most code of a short session runs only a few times.
          BUN_JSC_thresholdForJITAfterWarmUp: "5000",
          BUN_JSC_thresholdForOptimizeAfterWarmUp: "3000",
          // Compiles in the thread that runs the code: the other cores are busy with other suites.
          BUN_JSC_useConcurrentJIT: "0",
          ...(KEEPS_GARBAGE ? { BUN_JSC_useGC: "0" } : {}),
        },
        hasGrown: (pid) => KEEPS_GARBAGE && residentKb(pid) > MAX_HOST_KB,
      }
    : { config: {}, env: {}, hasGrown: () => false };

/** 0 where there is no such process. */
function residentKb(pid: number): number {
  const path = `/proc/${pid}/status`;
  if (!existsSync(path)) return 0;
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(path, "utf8"))?.[1] ?? 0);
}
