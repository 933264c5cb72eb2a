// tool.execute.after: bounds results, and removes expired files from time to time.
import type { Config } from "../config/schema.ts";
import type { Log } from "../log/log.ts";
import type { Notices } from "../log/notices.ts";
import { type OutputLimits, strictest } from "../tool-output/limits.ts";
import { ManagedFiles } from "../tool-output/managed-files.ts";
import { hostOutputFolder } from "../tool-output/place.ts";
import { type SettledCall, ToolOutput } from "../tool-output/settlement.ts";
import type { SessionTraces } from "../traces/session-traces.ts";
import { attribute } from "../traces/span.ts";

export interface ToolOutputInput {
  readonly config: Config["toolOutput"];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The limits by which the host cuts. */
  readonly hostLimits: () => OutputLimits;
  readonly log: Log;
  readonly notices: Notices;
  readonly traces: SessionTraces;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const DAY_MS = 86_400_000;

/** As often as the host looks through the folder itself. */
const SWEEP_EVERY_MS = 3_600_000;

/** tool.execute.after: bounds results, and now and then takes away files that have expired. */
export class ToolOutputHook {
  readonly #files: ManagedFiles;
  readonly #output: ToolOutput;
  #sweptAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly input: ToolOutputInput) {
    const { config, hostLimits } = input;
    this.#files = new ManagedFiles(hostOutputFolder(input.env, input.home), input.now);
    this.#output = new ToolOutput({
      files: this.#files,
      limits: () => {
        const host = hostLimits();
        const { maxLines, maxBytes } = config;
        return strictest(host, {
          maxLines: maxLines ?? host.maxLines,
          maxBytes: maxBytes ?? host.maxBytes,
        });
      },
      lost: (call, bytes, reason) => this.#tellLost(call, bytes, reason),
    });
  }

  async settle(call: SettledCall, result: unknown): Promise<void> {
    // A subtask that failed ends here without a result.
    if (!this.input.config.enabled || typeof result !== "object" || result === null) return;
    await this.#output.settle(call, result);
    const now = this.input.now();
    if (now - this.#sweptAtMs < SWEEP_EVERY_MS) return;
    this.#sweptAtMs = now;
    void this.input.traces.job({ name: "retention", sessionId: null }, async (note) =>
      note({ [attribute.removedFiles]: await this.#sweep() }),
    );
  }

  /** What a failed call says in place of a text that is over the limit; null where it is not. */
  boundFailure(call: SettledCall, text: string): Promise<string> | null {
    return this.input.config.enabled ? this.#output.boundedFailure(call, text) : null;
  }

  /** How many files it has removed. */
  async #sweep(): Promise<number> {
    const { config, log } = this.input;
    const { removed, failed } = await this.#files.sweep(config.retentionDays * DAY_MS);
    if (removed > 0) log.info("tool_output.expired", { removed });
    if (failed.length > 0) log.warn("tool_output.not_removed", { failed: failed.join("; ") });
    return removed;
  }

  #tellLost({ tool }: SettledCall, bytes: number, reason: string): void {
    const { folder } = this.#files;
    this.input.log.error("tool_output.not_stored", { tool, bytes, reason, folder });
    this.input.notices.notice({
      code: `tool_output_not_stored:${reason}`,
      severity: "warning",
      message: `The full output of a tool could not be stored in ${folder} (${reason}): the model sees its beginning and end, the rest is lost.`,
      remedy: "Make that folder writable, with room for it. The session goes on.",
    });
  }
}
