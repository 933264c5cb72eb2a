// Notices that the user gets once each.
import { faultFields } from "./fault.ts";
import type { Log } from "./log.ts";

/** How severe a notice is, and the log's level for it. */
const LEVELS = { info: "info", warning: "warn", error: "error" } as const;
type Severity = keyof typeof LEVELS;

/** Something that the user should know. Texts are ours: no message of the session, no credential. */
export type Notice = NoticeTexts & NoticeWeight;

/** What a report shows of it. */
export interface ShownNotice extends NoticeTexts {
  readonly severity: Severity;
}

interface NoticeTexts {
  /** A stable name of what happened, like `storage_locked`; each code is shown once. */
  readonly code: string;
  /** What happened and what it means for the session, in a sentence. */
  readonly message: string;
  /** What to do about it, in a sentence. */
  readonly remedy: string;
}

/**
 * A warning says when it ends: `over` is called for its code when its cause has ended, or its cause lasts as
 * long as the plugin instance, such as a setting that is read at the host's start.
 */
type NoticeWeight =
  | { readonly severity: "info" }
  | { readonly severity: "warning" | "error"; readonly ends: "by over" | "with the instance" };

export interface Notices {
  /**
   * Shows the notice unless its code was shown before by this instance, or the same text by another one.
   * Never throws.
   */
  notice(notice: Notice): void;
  /** Shows it, and that is all: no report repeats it, and nobody remembers it. Never throws. */
  mention(notice: Notice): void;
  /** Its cause has ended: no report repeats it. What comes again is reported again, without another toast. */
  over(code: string): void;
  /** What this instance had to say by `notice` so far and is not over, oldest first. */
  all(): readonly ShownNotice[];
}

/** Shows a text to the user; may reject or throw. */
export type Toast = (text: string, severity: Severity) => Promise<void>;

/** The toast of a user who wants none. */
export const noToast: Toast = () => Promise.resolve();

interface NoticeChannels {
  readonly toast: Toast;
  readonly log: Log;
}

/** What was shown: codes with their texts. */
type ShownTexts = Set<string>;

/**
 * The host makes a plugin for each project: what is the same for all of them, like a locked database, is
 * shown once per process. What is of one project (its other plugins, its settings) differs in its text.
 */
export const shownInProcess: ShownTexts = new Set();

export function createNotices(channels: NoticeChannels, shownTexts: ShownTexts): Notices {
  const { log } = channels;
  const own = new Map<string, Notice>();

  async function show({ code, message, remedy, severity }: ShownNotice): Promise<void> {
    try {
      await channels.toast(`${message} ${remedy}`, severity);
    } catch (error) {
      log.warn("notice.toast_failed", { notice: code, ...faultFields(error) });
    }
  }

  function mention(notice: Notice): void {
    const { code, message, remedy, severity } = notice;
    log[LEVELS[severity]]("notice", { code, message, remedy });
    void show(notice);
  }

  return {
    mention,
    notice(notice) {
      if (own.has(notice.code)) return;
      own.set(notice.code, notice);
      const text = `${notice.code}\n${notice.message}`;
      if (shownTexts.has(text)) return;
      shownTexts.add(text);
      mention(notice);
    },
    over: (code) => void own.delete(code),
    all: () => [...own.values()],
  };
}
