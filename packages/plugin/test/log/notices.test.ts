import { describe, expect, test } from "bun:test";
import type { Log } from "../../src/log/log.ts";
import { createNotices, type Notice, noToast, type Toast } from "../../src/log/notices.ts";

const locked: Notice = {
  code: "storage_locked",
  message: "The database is locked, so this session goes on as the host sends it.",
  remedy: "Close the other process, then send another message.",
  severity: "warning",
  ends: "by over",
};

function recorder(): { readonly log: Log; readonly lines: unknown[] } {
  const lines: unknown[] = [];
  const at = (level: string) => (event: string, fields: object) => {
    lines.push({ level, event, ...fields });
  };
  return {
    lines,
    log: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") },
  };
}

describe("notices", () => {
  test("a notice is told once per code, by toast and log, with what to do", () => {
    const shown: string[] = [];
    const { log, lines } = recorder();
    const toast: Toast = async (text, severity) => void shown.push(`${severity}: ${text}`);
    const notices = createNotices({ toast, log }, new Set());
    notices.notice(locked);
    notices.notice({ ...locked, message: "Again." });
    expect(shown).toEqual([`warning: ${locked.message} ${locked.remedy}`]);
    expect(lines).toEqual([
      {
        level: "warn",
        event: "notice",
        code: locked.code,
        message: locked.message,
        remedy: locked.remedy,
      },
    ]);
    expect(notices.all()).toEqual([locked]);
  });

  test("what is only mentioned is shown each time, and in no report after that", () => {
    const shown: string[] = [];
    const { log, lines } = recorder();
    const toast: Toast = async (text, severity) => void shown.push(`${severity}: ${text}`);
    const notices = createNotices({ toast, log }, new Set());
    notices.mention({ ...locked, severity: "info" });
    expect(shown).toEqual([`info: ${locked.message} ${locked.remedy}`]);
    expect(lines).toHaveLength(1);
    expect(notices.all()).toEqual([]);
  });

  test("what is over stands in no report until it comes again, and is not shown twice", () => {
    const { log, lines } = recorder();
    const notices = createNotices({ toast: noToast, log }, new Set());
    notices.notice(locked);
    notices.over(locked.code);
    notices.over("never_said");
    expect(notices.all()).toEqual([]);
    notices.notice(locked);
    expect(notices.all()).toEqual([locked]);
    expect(lines).toHaveLength(1);
  });

  test("what two instances of one process have to say in the same words is shown once, and stands in both reports", () => {
    const shownTexts = new Set<string>();
    const [first, second] = [recorder(), recorder()];
    const one = createNotices({ toast: noToast, log: first.log }, shownTexts);
    const other = createNotices({ toast: noToast, log: second.log }, shownTexts);
    one.notice(locked);
    expect(other.all()).toEqual([]);
    other.notice(locked);
    expect([first.lines.length, second.lines.length]).toEqual([1, 0]);
    expect(other.all()).toEqual([locked]);
  });

  test("another project's notice of the same code is shown, and stays out of this one's report", () => {
    const shownTexts = new Set<string>();
    const [first, second] = [recorder(), recorder()];
    const one = createNotices({ toast: noToast, log: first.log }, shownTexts);
    const other = createNotices({ toast: noToast, log: second.log }, shownTexts);
    const beside = (name: string): Notice => ({
      ...locked,
      code: "rewriter_loaded",
      message: `Another plugin is loaded: ${name}.`,
    });
    one.notice(beside("a"));
    other.notice(beside("b"));
    expect([first.lines.length, second.lines.length]).toEqual([1, 1]);
    expect(one.all()).toEqual([beside("a")]);
    expect(other.all()).toEqual([beside("b")]);
  });

  test.each([
    ["info", "info"],
    ["warning", "warn"],
    ["error", "error"],
  ] as const)("severity %s is logged at level %s", (severity, level) => {
    const { log, lines } = recorder();
    createNotices({ toast: noToast, log }, new Set()).notice({ ...locked, severity });
    expect(lines).toMatchObject([{ level }]);
  });

  test.each([
    ["rejects", () => Promise.reject(new Error("no terminal"))],
    [
      "throws",
      () => {
        throw new Error("no terminal");
      },
    ],
  ] as const)("I15: a toast that %s reaches the log, not the caller", async (_, toast) => {
    const { log, lines } = recorder();
    createNotices({ toast, log }, new Set()).notice(locked);
    await Promise.resolve();
    await Promise.resolve();
    expect(lines).toMatchObject([
      { event: "notice" },
      { event: "notice.toast_failed", notice: "storage_locked", error: "Error" },
    ]);
  });
});
