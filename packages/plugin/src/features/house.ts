// What every feature may use of the plugin instance that it is opened for.
import type { Config } from "../config/schema.ts";
import type { FailureReporter } from "../log/fault.ts";
import type { Log } from "../log/log.ts";
import type { Notices } from "../log/notices.ts";
import type { DatabaseHandle } from "../storage/database-handle.ts";
import type { SessionTraces } from "../traces/session-traces.ts";

export interface House {
  readonly location: { readonly directory: string; readonly worktree: string };
  readonly config: Config;
  readonly database: DatabaseHandle;
  readonly failures: FailureReporter;
  readonly log: Log;
  readonly notices: Notices;
  readonly traces: SessionTraces;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
