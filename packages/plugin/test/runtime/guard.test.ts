// What a failure at a hook's edge is called, to the user and in the log.
import { expect, test } from "bun:test";
import { HostRefusalError } from "../../src/feature-api/prompt.ts";
import type { Log } from "../../src/log/log.ts";
import type { Notice, Notices } from "../../src/log/notices.ts";
import {
  createFailureReporter,
  guard,
  guardSync,
  MissingHostMethodError,
  TimeoutError,
} from "../../src/runtime/guard.ts";
import { StorageError } from "../../src/storage/errors.ts";

const GOES_ON = "The turn continues with what is stored, or with the host's own request.";

function reporter() {
  const shown: Notice[] = [];
  const logged: unknown[] = [];
  const met: unknown[] = [];
  const over: string[] = [];
  const notices = {
    notice: (one: Notice) => void shown.push(one),
    over: (code: string) => void over.push(code),
  };
  const log = { error: (name: string, fields: object) => void logged.push({ name, ...fields }) };
  const failures = createFailureReporter(
    notices as unknown as Notices,
    log as unknown as Log,
    (error) => void met.push(error),
  );
  return { failures, shown, over, logged, met };
}

const COMMON = `${GOES_ON} See /ctx-status.`;
const CASES = [
  {
    error: new StorageError("full", "The disk is full."),
    code: "storage_full",
    message: "The disk is full.",
    remedy: COMMON,
  },
  {
    error: new HostRefusalError("The prompt was not taken (HTTP 500)."),
    code: "chat_refused",
    message: "The prompt was not taken (HTTP 500).",
    remedy: COMMON,
  },
  {
    error: new TimeoutError(2_500),
    code: "chat_late",
    message: "Session Runtime took longer than 2.5 s in chat.",
    remedy: `${GOES_ON} Nothing is lost.`,
  },
  {
    error: new RangeError("words of a user's prompt"),
    code: "chat_failed",
    message: "Session Runtime failed in chat (RangeError).",
    remedy: `${GOES_ON} See /ctx-status and the log, and report it if the problem persists.`,
  },
];

test.each(CASES)("$code: in the words that fit it, as a warning", ({ error, ...words }) => {
  const { failures, shown, logged, met } = reporter();
  guardSync(failures, "chat", () => {
    throw error;
  });
  expect(met).toEqual([error]);
  expect(shown).toEqual([{ ...words, severity: "warning", ends: "by over" } as Notice]);
  const { code, message: reason } = words;
  expect(logged).toMatchObject([{ name: "hook.failed", where: "chat", code, reason }]);
});

test("no other error's own message is shown or logged: it may quote anything", () => {
  const { failures, shown, logged } = reporter();
  failures.failed("chat", new TypeError("a user's secret"));
  failures.failed("chat", "thrown words");
  expect(JSON.stringify([shown, logged])).not.toMatch(/secret|words/);
  expect(shown[1]?.message).toBe("Session Runtime failed in chat (string).");
});

test("what is thrown later is met as well, and work that succeeds reports nothing", async () => {
  const { failures, met } = reporter();
  const done: string[] = [];
  await guard(failures, "chat", async () => void done.push("later"));
  guardSync(failures, "chat", () => void done.push("at once"));
  expect([done, met]).toEqual([["later", "at once"], []]);
  const late = new TimeoutError(1);
  await guard(failures, "chat", () => Promise.reject(late));
  expect(met).toEqual([late]);
});

test.each(CASES)(
  "$code is over when the same work goes well, and not by other work",
  ({ error, code }) => {
    const { failures, over } = reporter();
    failures.failed("chat", error);
    guardSync(failures, "event", () => undefined);
    expect(over).toEqual([]);
    guardSync(failures, "chat", () => undefined);
    expect(over).toEqual([code]);
  },
);

test("what two kinds of work met is over when both have gone well", async () => {
  const { failures, over } = reporter();
  const full = new StorageError("full", "The disk is full.");
  for (const where of ["chat", "event", "chat"]) failures.failed(where, full);
  await guard(failures, "chat", async () => undefined);
  expect(over).toEqual([]);
  await guard(failures, "event", async () => undefined);
  await guard(failures, "event", async () => undefined);
  expect(over).toEqual(["storage_full"]);
});

test("a database that takes a write ends what it refused before, and nothing else; damage stays", () => {
  const { failures, over } = reporter();
  failures.failed("/ctx-memory", new StorageError("locked", "It is locked."));
  failures.failed("storage", new StorageError("corrupt", "It is damaged."));
  failures.failed("chat", new RangeError("elsewhere"));
  failures.storageWorks();
  failures.storageWorks();
  expect(over).toEqual(["storage_locked"]);
});

test("what the host takes of no plugin lasts as long as the host runs", () => {
  const { failures, shown, over } = reporter();
  failures.failed("commands", new MissingHostMethodError("commands"));
  failures.worked("commands");
  expect(shown).toMatchObject([{ code: "commands_left_out", ends: "with the instance" }]);
  expect(over).toEqual([]);
});
