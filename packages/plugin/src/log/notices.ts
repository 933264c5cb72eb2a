// Shows notices, each of them only once to the user.
import { toFaultFields } from "./fault.ts";
import type { Log } from "./log.ts";

// Renders a command of the command line in a text for the user.

/** Renders a command with its arguments in a form that the reader can type. */
export type RenderCommandLine = (words: string) => string;

/** Renders a command under the name that `setup` installs, for texts that a host shows. */
export const renderInstalledCommand: RenderCommandLine = (words) => `session-runtime ${words}`;

/** Maps a notice's severity to its log level. */
const LOG_LEVELS_BY_SEVERITY = { info: "info", warning: "warn", error: "error" } as const;
type Severity = keyof typeof LOG_LEVELS_BY_SEVERITY;

/** Something that the user should know. Its texts are ours and never quote a session or a credential. */
export type Notice = NoticeTexts & NoticeLifetime;

/** The part of a notice that a report shows. */
export interface ShownNotice extends NoticeTexts {
  readonly severity: Severity;
}

interface NoticeTexts {
  /** A stable name of the event, like `storage_locked`; each code is shown once. */
  readonly code: string;
  /** Says in a sentence what happened and what it means for the session. */
  readonly message: string;
  /** Says in a sentence what to do about it. */
  readonly remedy: string;
}

/**
 * Says how a warning ends: either `over` is called for its code once the cause has ended, or the cause lasts
 * as long as the plugin instance, as does a setting that is read at the host's start.
 */
type NoticeLifetime =
  | { readonly severity: "info" }
  | { readonly severity: "warning" | "error"; readonly ends: "by over" | "with the instance" };

export interface Notices {
  /**
   * Shows the notice unless this instance has already shown its code, or another instance the same text.
   * Never throws.
   */
  notice(notice: Notice): void;
  /** Shows a notice without recording it, so that no report repeats it. Never throws. */
  mention(notice: Notice): void;
  /**
   * Ends a notice, so that no report repeats it. If it recurs, it is reported again, without another toast.
   */
  over(code: string): void;
  /** Returns the notices that this instance has given and that are not over, oldest first. */
  all(): readonly ShownNotice[];
}

/** Shows a text to the user; may reject or throw. */
export type Toast = (text: string, severity: Severity) => Promise<void>;

/** Shows nothing, for a user who wants no toasts. */
export const noToast: Toast = () => Promise.resolve();

interface NoticeChannels {
  readonly toast: Toast;
  readonly log: Log;
}

/** Holds the shown texts by code. */
type ShownTexts = Set<string>;

/**
 * Holds what this process has shown. The host makes a plugin for each project: a notice that is the same for
 * all projects, such as a locked database, is shown once per process. A notice about one project (its other
 * plugins, its settings) has a text of its own.
 */
export const textsShownInProcess: ShownTexts = new Set();

export function createNotices(channels: NoticeChannels, shownTexts: ShownTexts): Notices {
  const { log } = channels;
  const own = new Map<string, Notice>();

  async function show({ code, message, remedy, severity }: ShownNotice): Promise<void> {
    try {
      await channels.toast(`${message} ${remedy}`, severity);
    } catch (error) {
      log.warn("notice.toast_failed", { notice: code, ...toFaultFields(error) });
    }
  }

  function logAndShow(notice: Notice): void {
    const { code, message, remedy, severity } = notice;
    log[LOG_LEVELS_BY_SEVERITY[severity]]("notice", { code, message, remedy });
    void show(notice);
  }

  return {
    mention: logAndShow,
    notice(notice) {
      if (own.has(notice.code)) return;
      own.set(notice.code, notice);
      const text = `${notice.code}\n${notice.message}`;
      if (shownTexts.has(text)) return;
      shownTexts.add(text);
      logAndShow(notice);
    },
    over: (code) => void own.delete(code),
    all: () => [...own.values()],
  };
}
