// When the user no longer hears that jobs fail.
import { expect, test } from "bun:test";
import { OpenBreakers } from "../../src/runtime/job-runner.ts";
import type { SessionId } from "../../src/storage/records.ts";

const DAY_MS = 86_400_000;
const breaker = (openUntilMs: number) => ({ code: "unavailable", failures: 3, openUntilMs });
const source = (kind: string, sessionId: string | null) => ({
  kind,
  sessionId: sessionId as SessionId | null,
});

test("a job that is done ends what was reported of its kind, of each day, once no other session's breaker is open", () => {
  const shown: string[] = [];
  const over: string[] = [];
  const breakers = new OpenBreakers({
    notice: ({ code }) => void shown.push(code),
    over: (code) => void over.push(code),
  });
  breakers.recordOpened(source("history", "ses_a"), breaker(5));
  breakers.recordOpened(source("history", "ses_b"), breaker(DAY_MS + 5));
  breakers.recordOpened(source("upkeep", null), breaker(5));
  expect(shown).toEqual([
    "jobs_breaker:history:0",
    "jobs_breaker:history:1",
    "jobs_breaker:upkeep:0",
  ]);
  breakers.recordClosed(source("history", "ses_c"));
  breakers.recordClosed(source("history", "ses_a"));
  breakers.recordClosed(source("notes", null));
  expect(over).toEqual([]);
  breakers.recordClosed(source("history", "ses_b"));
  expect(over).toEqual(["jobs_breaker:history:0", "jobs_breaker:history:1"]);
  breakers.recordClosed(source("upkeep", null));
  expect(over.at(-1)).toBe("jobs_breaker:upkeep:0");
});
