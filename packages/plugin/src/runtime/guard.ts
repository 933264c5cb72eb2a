// The one guard at a hook's edge: a failure is reported once, and the host goes on.
import { HostRefusalError } from "../feature-api/prompt.ts";
import { type FailureReporter, toFaultFields } from "../log/fault.ts";
import type { Log } from "../log/log.ts";
import type { Notice, Notices } from "../log/notices.ts";
import { StorageError } from "../storage/errors.ts";

/** Signals that a hook's waiting time is over; the work may still finish, for later hooks. */
export class TimeoutError extends Error {
  override readonly name = "Late";

  constructor(readonly limitMs: number) {
    super(`no answer within ${limitMs} ms`);
  }
}

/** Signals that the host lacks a method for one feature, so that only this feature is missing. */
export class MissingHostMethodError extends Error {
  override readonly name = "LeftOut";

  constructor(readonly feature: string) {
    super(`the host accepts no ${feature} from plugins`);
  }
}

/** The code of the database's damage notice, which stays until the next start checks the file. */
const DAMAGE_CODE = "storage_corrupt";

export function createFailureReporter(
  notices: Notices,
  log: Log,
  /** Receives each failure before it is reported. */
  met: (error: unknown) => void,
): FailureReporter {
  const unended = new OpenFailures(notices);
  return {
    failed(where, error) {
      met(error);
      const { message, remedy, code } = describeError(where, error);
      const { error: kind, code: errorCode, frame } = toFaultFields(error);
      log.error("hook.failed", { where, code, reason: message, error: kind, errorCode, frame });
      // A host's methods don't change until its next start.
      if (error instanceof MissingHostMethodError) {
        notices.notice({ code, severity: "warning", ends: "with the instance", message, remedy });
        return;
      }
      notices.notice({ code, severity: "warning", ends: "by over", message, remedy });
      unended.add(code, where);
    },
    worked: (where) => unended.recordSuccess(where),
    storageWorks: () =>
      unended.endAll((code) => code.startsWith("storage_") && code !== DAMAGE_CODE),
  };
}

/** Holds the unresolved failures by code, with the work that failed and has not succeeded since. */
class OpenFailures {
  readonly #places = new Map<string, Set<string>>();

  constructor(private readonly notices: Pick<Notices, "over">) {}

  add(code: string, where: string): void {
    this.#places.set(code, (this.#places.get(code) ?? new Set()).add(where));
  }

  /** Records a success. Every call does this, so it costs nothing if nothing has failed. */
  recordSuccess(where: string): void {
    for (const [code, places] of this.#places) {
      if (places.delete(where) && places.size === 0) this.#end(code);
    }
  }

  endAll(isOver: (code: string) => boolean): void {
    for (const code of this.#places.keys()) if (isOver(code)) this.#end(code);
  }

  #end(code: string): void {
    this.#places.delete(code);
    this.notices.over(code);
  }
}

/** Describes a failure: our own errors by message, any other by class, as its message may quote anything. */
function describeError(where: string, error: unknown): Pick<Notice, "code" | "message" | "remedy"> {
  const goesOn = "The turn continues with what is stored, or with the host's own request.";
  if (error instanceof StorageError) {
    const { code, message } = error;
    return { code: `storage_${code}`, message, remedy: `${goesOn} See /ctx-status.` };
  }
  if (error instanceof HostRefusalError) {
    const { message } = error;
    return { code: `${where}_refused`, message, remedy: `${goesOn} See /ctx-status.` };
  }
  if (error instanceof TimeoutError) {
    const message = `Session Runtime took longer than ${error.limitMs / 1_000} s in ${where}.`;
    return { code: `${where}_late`, message, remedy: `${goesOn} Nothing is lost.` };
  }
  if (error instanceof MissingHostMethodError) {
    const message = `This version of OpenCode accepts no ${error.feature} from plugins, so those of Session Runtime are missing.`;
    return {
      code: `${where}_left_out`,
      message,
      remedy: "Everything else works. Update OpenCode to get them.",
    };
  }
  const kind = error instanceof Error ? error.name : typeof error;
  return {
    code: `${where}_failed`,
    message: `Session Runtime failed in ${where} (${kind}).`,
    remedy: `${goesOn} See /ctx-status and the log, and report it if the problem persists.`,
  };
}

/** Guards synchronous work that every call does, for which a promise would cost time. */
export function guardSync(reporter: FailureReporter, where: string, work: () => void): void {
  try {
    work();
    reporter.worked(where);
  } catch (error) {
    reporter.failed(where, error);
  }
}

/**
 * Guards a hook's edge: on failure the host keeps its own value, the user is notified once, and the turn goes
 * on.
 */
export async function guard(
  reporter: FailureReporter,
  where: string,
  work: () => void | Promise<void>,
): Promise<void> {
  try {
    await work();
    reporter.worked(where);
  } catch (error) {
    reporter.failed(where, error);
  }
}
