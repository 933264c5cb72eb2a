// The one guard at a hook's edge: the host goes on, the failure is reported once.
import { HostRefusal } from "../features/prompt-host.ts";
import { type FailureReporter, faultFields } from "../log/fault.ts";
import type { Log } from "../log/log.ts";
import type { Notice, Notices } from "../log/notices.ts";
import { StorageError } from "../storage/errors.ts";

/** What a hook waits for so long at most; it may be done yet, for later ones. */
export class Late extends Error {
  override readonly name = "Late";

  constructor(readonly limitMs: number) {
    super(`no answer within ${limitMs} ms`);
  }
}

/** A host without a method for one feature: that feature alone is missing. */
export class LeftOut extends Error {
  override readonly name = "LeftOut";

  constructor(readonly feature: string) {
    super(`the host takes no ${feature} of plugins`);
  }
}

export function failureReporter(
  notices: Notices,
  log: Log,
  /** Hears of each failure first. */
  met: (error: unknown) => void,
): FailureReporter {
  return {
    failed(where, error) {
      met(error);
      const { message, remedy, code } = wordsFor(where, error);
      const { error: kind, code: errorCode, frame } = faultFields(error);
      log.error("hook.failed", { where, code, reason: message, error: kind, errorCode, frame });
      notices.notice({ code, severity: "warning", message, remedy });
    },
  };
}

/** Our own words for our own errors; of any other the class alone, as its message may quote anything. */
function wordsFor(where: string, error: unknown): Pick<Notice, "code" | "message" | "remedy"> {
  const goesOn = "The turn continues with what is stored, or with the host's own request.";
  if (error instanceof StorageError) {
    const { code, message } = error;
    return { code: `storage_${code}`, message, remedy: `${goesOn} See /ctx-status.` };
  }
  if (error instanceof HostRefusal) {
    const { message } = error;
    return { code: `${where}_refused`, message, remedy: `${goesOn} See /ctx-status.` };
  }
  if (error instanceof Late) {
    const message = `Session Runtime took longer than ${error.limitMs / 1_000} s in ${where}.`;
    return { code: `${where}_late`, message, remedy: `${goesOn} Nothing is lost.` };
  }
  if (error instanceof LeftOut) {
    const message = `This version of OpenCode takes no ${error.feature} from plugins, so those of Session Runtime are missing.`;
    return {
      code: `${where}_left_out`,
      message,
      remedy: "All else works. Update OpenCode to have them.",
    };
  }
  const kind = error instanceof Error ? error.name : typeof error;
  return {
    code: `${where}_failed`,
    message: `Session Runtime failed in ${where} (${kind}).`,
    remedy: `${goesOn} See /ctx-status and the log, and report it if the problem persists.`,
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
 * The one guard at a hook's edge: on failure the host keeps what it gave, the user reads of it once,
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
