import type { Log } from "../log/log.ts";
import type { Notices } from "../log/once.ts";
import { StorageError } from "../storage/store.ts";

/** Tells a failure of ours: once to the user, each time to the log. */
export interface FailureReporter {
  failed(where: string, error: unknown): void;
}

export function failureReporter(notices: Notices, log: Log): FailureReporter {
  return {
    failed(where, error) {
      const code = error instanceof StorageError ? `storage_${error.code}` : `${where}_failed`;
      const reason = error instanceof Error ? error.message : String(error);
      log.error("hook.failed", { where, code, reason });
      notices.notice({
        code,
        severity: "warning",
        message:
          error instanceof StorageError
            ? error.message
            : `Session Runtime could not do its part in ${where}: ${reason}`,
        remedy:
          "The session goes on with the host's own request. See /ctx-status, and please report it if it stays.",
      });
    },
  };
}

/** The guard of work that is done at once: in each call's path, where a promise has its price. */
export function guardAtOnce(reporter: FailureReporter, where: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    reporter.failed(where, error);
  }
}

/**
 * The one guard at a hook's edge: on failure the host keeps what it gave, the user is told once,
 * the turn goes on.
 */
export async function guard(
  reporter: FailureReporter,
  where: string,
  work: () => void | Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    reporter.failed(where, error);
  }
}
