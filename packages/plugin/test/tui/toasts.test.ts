import { expect, test } from "bun:test";
import { listToasts } from "../../src/tui/toasts.ts";
import { BUST, CALM, WARNING } from "./panel-status.ts";

const NOTHING: ReadonlySet<string> = new Set();
const lost = { ...CALM, cache: { ...CALM.cache, lastBust: BUST } };

test("a lost cache is told once, with its cause and what it costs, when the provider confirms it", () => {
  expect(listToasts({ former: CALM, shown: NOTHING }, lost)).toEqual([
    {
      variant: "warning",
      message: "The prompt cache was lost: the tool list changed. 33,000 tokens were billed again.",
    },
  ]);
  expect(listToasts({ former: lost, shown: NOTHING }, lost)).toEqual([]);
  const guessed = {
    ...CALM,
    cache: { ...CALM.cache, lastBust: { ...BUST, confirmation: "unknown" as const } },
  };
  expect(listToasts({ former: CALM, shown: NOTHING }, guessed)).toEqual([]);
  expect(listToasts({ former: guessed, shown: NOTHING }, lost)).toHaveLength(1);
});

test("a lost cache that was to be expected, or of a session that has just been opened, is not told", () => {
  const expected = {
    ...CALM,
    cache: { ...CALM.cache, lastBust: { ...BUST, nature: "expected" as const } },
  };
  expect(listToasts({ former: CALM, shown: NOTHING }, expected)).toEqual([]);
  expect(listToasts({ former: { ...CALM, sessionId: "ses_two" }, shown: NOTHING }, lost)).toEqual(
    [],
  );
  expect(listToasts({ former: null, shown: NOTHING }, lost)).toEqual([]);
});

const NOTICE = "Interrupted: 1 prompt without an answer. /ctx-resume continues.";
const noticed = { ...CALM, notice: NOTICE };

test("what a crash has left is a toast each time that the session is opened, before all warnings", () => {
  const toast = [{ variant: "warning", message: NOTICE }] as const;
  expect(listToasts({ former: null, shown: NOTHING }, noticed)).toEqual(toast);
  expect(listToasts({ former: null, shown: new Set([NOTICE]) }, noticed)).toEqual(toast);
  const other = { ...CALM, sessionId: "ses_two" };
  expect(listToasts({ former: other, shown: NOTHING }, noticed)).toEqual(toast);
  const warned = { ...noticed, warnings: [WARNING] };
  expect(listToasts({ former: null, shown: NOTHING }, warned)).toEqual(toast);
});

test("while the session is shown it is a toast when it arises, unless the server's own was seen here", () => {
  expect(listToasts({ former: CALM, shown: NOTHING }, noticed)).toHaveLength(1);
  expect(listToasts({ former: CALM, shown: new Set([NOTICE]) }, noticed)).toEqual([]);
  expect(listToasts({ former: noticed, shown: NOTHING }, noticed)).toEqual([]);
  expect(listToasts({ former: noticed, shown: NOTHING }, CALM)).toEqual([]);
  const silent = { ...noticed, toasts: "silent" as const };
  expect(listToasts({ former: null, shown: NOTHING }, silent)).toEqual([]);
});

test("warnings of the server's start are told when it is first read, unless they were seen here", () => {
  const warned = { ...CALM, warnings: [WARNING] };
  const text = "It is listed twice. Remove one entry.";
  expect(listToasts({ former: null, shown: NOTHING }, warned)).toEqual([
    { variant: "warning", message: text },
  ]);
  expect(listToasts({ former: null, shown: new Set([text]) }, warned)).toEqual([]);
  const two = { ...CALM, warnings: [WARNING, { ...WARNING, message: "Another." }] };
  expect(listToasts({ former: null, shown: NOTHING }, two)[0]?.message).toBe(
    "2 warnings: /ctx-status shows them.",
  );
});

test("later warnings are the server's to tell, and mere information is told by nobody twice", () => {
  expect(listToasts({ former: CALM, shown: NOTHING }, { ...CALM, warnings: [WARNING] })).toEqual(
    [],
  );
  const info = { ...CALM, warnings: [{ ...WARNING, severity: "info" as const }] };
  expect(listToasts({ former: null, shown: NOTHING }, info)).toEqual([]);
});

test("with notices.toast off there are none", () => {
  const silent = { ...lost, warnings: [WARNING], toasts: "silent" as const };
  expect(listToasts({ former: null, shown: NOTHING }, silent)).toEqual([]);
  expect(listToasts({ former: CALM, shown: NOTHING }, silent)).toEqual([]);
});
