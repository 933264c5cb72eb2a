// The ways to notify the user, and which message uses which.
import type { Config } from "../config/schema.ts";
import type { ShellEnvironment } from "../config/shell-environment.ts";
import { type ConfigWarning, renderWarning } from "../config/warning.ts";
import { createLog, type FileLog } from "../log/log.ts";
import {
  createNotices,
  type Notices,
  noToast,
  type Toast,
  textsShownInProcess,
} from "../log/notices.ts";
import { FILES_LATE_REASON } from "../session/source-observation.ts";
import { REPLACEMENT_REMEDY, renderReplacement } from "../status/notices.ts";
import { explainRecovery } from "../status/way-back.ts";
import { makeLinesVisible } from "../status/wording.ts";
import { DATABASE_UNREADABLE } from "../storage/database.ts";
import type { StorageError } from "../storage/errors.ts";
import type { MovedDatabase } from "../storage/open.ts";
import type { SessionId } from "../storage/records.ts";

/** Holds the ways to reach the user. */
export interface Channels {
  readonly log: FileLog;
  readonly notices: Notices;
  /** Shows the answer to a user's request, whatever the settings for notices say. */
  readonly toast: Toast;
}

/** Limits the log's size and age before it is rotated; two old files are kept. */
const LOG_LIMITS = { bytes: 5 * 1_048_576, ageMs: 14 * 86_400_000 };

export function composeChannels(
  config: Config,
  deps: {
    readonly toast: Toast;
    readonly logPath: string;
    readonly now: () => number;
  },
): Channels {
  const log = createLog({
    path: deps.logPath,
    level: config.log.level,
    limits: LOG_LIMITS,
    now: deps.now,
  });
  const toast: Toast = (text, severity) => deps.toast(makeLinesVisible(text), severity);
  const shown = config.notices.toast ? toast : noToast;
  return { log, toast, notices: createNotices({ toast: shown, log }, textsShownInProcess) };
}

export function reportConfigWarnings(notices: Notices, warnings: readonly ConfigWarning[]): void {
  for (const warning of warnings) {
    notices.notice({
      code: `config:${warning.file}:${warning.key ?? ""}`,
      severity: "warning",
      ends: "with the instance",
      message: `${renderWarning(warning)}.`,
      remedy: "Fix it and restart.",
    });
  }
}

export function reportMovedDatabase(notices: Notices, path: string, moved: MovedDatabase): void {
  if (moved.kind === "development") {
    notices.notice({
      code: "storage_replaced",
      severity: "warning",
      ends: "with the instance",
      message: renderReplacement(path, moved),
      remedy: REPLACEMENT_REMEDY,
    });
    return;
  }
  notices.notice({
    code: "storage_moved_aside",
    severity: "error",
    ends: "with the instance",
    message: `The runtime's database ${path} was damaged and has been moved to ${moved.aside}.`,
    remedy: `A new one was created: running sessions start a new epoch. ${explainRecovery(moved.aside)}`,
  });
}

/**
 * Reports damaged texts. They are replaced automatically, so the remedy only asks the user to check the disk.
 */
export function reportDamagedTexts(
  { log, notices }: Channels,
  sessionId: SessionId,
  found: readonly StorageError[],
): void {
  for (const { message } of found) log.error("session.text_damaged", { sessionId, message });
  notices.notice({
    code: `stored_text_damaged:${sessionId}`,
    severity: "warning",
    // The faulty disk or memory stays until somebody has checked it.
    ends: "with the instance",
    message: `Some texts that were sent in session ${sessionId} have since been damaged in the database, and are not sent again.`,
    remedy:
      "The session's next call begins a new epoch, which is billed in full once; the log names the rows. A failing disk or memory can cause this: check both.",
  });
}

/** Returns the code of the notice about a source that can't be read. */
export function toSourceNoticeCode(key: string): string {
  return `source_unavailable:${key}`;
}

export function reportSourceFailure({ log, notices }: Channels, key: string, reason: string): void {
  log.warn("source.unavailable", { key, reason });
  // The database's own notice already covers all of its sources; status reports a busy machine.
  if (reason === DATABASE_UNREADABLE || reason === FILES_LATE_REASON) return;
  notices.notice({
    code: toSourceNoticeCode(key),
    severity: "warning",
    ends: "by over",
    message: `${key} can't be read now (${reason}).`,
    remedy: "The model keeps what it knows of it; every call tries again.",
  });
}

/** Reports refused variables by name only, and never quotes their values. */
export function reportRefusedVariables({ refused }: ShellEnvironment, notices: Notices): void {
  for (const name of refused) {
    notices.notice({
      code: `environment_protected:${name}`,
      severity: "warning",
      ends: "with the instance",
      message: `The variable ${name} belongs to OpenCode, so the value in your configuration is not used.`,
      remedy: "Remove it from `environment` in Session Runtime's config.",
    });
  }
}
