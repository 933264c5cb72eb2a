// Bounds results before the model reads them, and removes expired files from time to time.
import type { FAILURE_BOUNDS } from "../../feature-api/extension-points.ts";
import type { ProvidingFeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { attributeNames } from "../../feature-api/span.ts";
import { combineLimits } from "./limits.ts";
import { ManagedFiles } from "./managed-files.ts";
import { type SettledCall, ToolOutput } from "./settlement.ts";

/** Files are kept for as long as the host keeps its own. */
const FILE_LIFETIME_MS = 7 * 86_400_000;

/** The folder is swept as often as the host sweeps it. */
const SWEEP_INTERVAL_MS = 3_600_000;

export function createToolOutputFeature(
  context: FeatureContext,
): ProvidingFeatureInstance<{ readonly boundFailure: typeof FAILURE_BOUNDS }> {
  if (!context.config.toolOutput.enabled) return { provides: { boundFailure: null } };
  const bounding = new OutputBounds(context);
  return {
    hooks: { toolSettled: (call, result) => bounding.settle(call, result) },
    provides: { boundFailure: (call, text) => bounding.boundFailure(call, text) },
  };
}

class OutputBounds {
  readonly #files: ManagedFiles;
  readonly #output: ToolOutput;
  /** The codes of the notices about texts that could not be stored. */
  readonly #lost = new Set<string>();
  #sweptAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly context: FeatureContext) {
    const { config, host: asked } = context;
    const { folder, howToRead } = asked.outputPlace;
    this.#files = new ManagedFiles(folder, Date.now);
    this.#output = new ToolOutput({
      files: this.#files,
      howToRead,
      limits: () => {
        const host = asked.outputLimits();
        const { maxLines, maxBytes } = config.toolOutput;
        return combineLimits(host, {
          maxLines: maxLines ?? host.maxLines,
          maxBytes: maxBytes ?? host.maxBytes,
        });
      },
      lost: (call, bytes, reason) => this.#reportLost(call, bytes, reason),
      kept: () => this.#endLost(),
    });
  }

  async settle(call: SettledCall, result: object): Promise<void> {
    await this.#output.settle(call, result);
    const now = Date.now();
    if (now - this.#sweptAtMs < SWEEP_INTERVAL_MS) return;
    this.#sweptAtMs = now;
    void this.context.traces.traceJob({ name: "retention", sessionId: null }, async (note) =>
      note({ [attributeNames.removedFiles]: await this.#sweep() }),
    );
  }

  /** Returns a shorter text for a failed call whose text is over the limit; null if it is within. */
  boundFailure(call: SettledCall, text: string): Promise<string> | null {
    return this.#output.boundFailure(call, text);
  }

  /** Returns the number of files removed. */
  async #sweep(): Promise<number> {
    const { log } = this.context;
    const { removed, failed } = await this.#files.sweep(FILE_LIFETIME_MS);
    if (removed > 0) log.info("tool_output.expired", { removed });
    if (failed.length > 0) log.warn("tool_output.not_removed", { failed: failed.join("; ") });
    return removed;
  }

  #endLost(): void {
    for (const code of this.#lost) this.context.notices.over(code);
    this.#lost.clear();
  }

  #reportLost({ tool }: SettledCall, bytes: number, reason: string): void {
    const { folder } = this.#files;
    this.context.log.error("tool_output.not_stored", { tool, bytes, reason, folder });
    const code = `tool_output_not_stored:${reason}`;
    this.#lost.add(code);
    this.context.notices.notice({
      code,
      severity: "warning",
      ends: "by over",
      message: `The full output of a tool could not be stored in ${folder} (${reason}): the model sees its beginning and end, the rest is lost.`,
      remedy: "Make that folder writable and check the disk's free space. The session continues.",
    });
  }
}
