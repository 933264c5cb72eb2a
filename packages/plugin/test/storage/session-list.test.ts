import { expect, test } from "bun:test";
import { selectInboxStores } from "../../src/features/inbox/inbox-deps.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { listSessionPlaces, listSessions } from "../../src/storage/session-list.ts";
import { inputRecord } from "../features/inbox/records.ts";
import {
  entryRecord,
  epochRecord,
  firstCommit,
  otherSession,
  outcome,
  session,
  turnRecord,
  usage,
} from "./records.ts";
import { Workspace } from "./workspace.ts";

const workspace = new Workspace();

test("sessions are listed with what they cost, the most recently active first", () => {
  const path = workspace.path();
  const database = workspace.open(path);
  const { ledger, turns, sessions } = database;
  const { inbox } = selectInboxStores(database);
  ledger.commit(firstCommit(otherSession));
  ledger.commit({
    ...firstCommit(),
    entries: [
      {
        ...entryRecord(2, 1),
        announced: [{ key: "core/date" as never, text: "x" }],
        decidedAtMs: 5_000,
      },
    ],
  });
  const moved = { directory: "/elsewhere", worktree: "/elsewhere" };
  ledger.commit({
    ...{ sessionId: session, expectedSeq: 2, entries: [] },
    epoch: { ...epochRecord(3), location: moved },
  });
  turns.append({ ...turnRecord(5_000), bust: "the tool list changed" });
  turns.append({ ...turnRecord(6_000), bust: "old history was dropped: it paid" });
  turns.settle(session, outcome(5_000, usage, null));
  inbox.admit({ ...inputRecord("queued", "queue"), admittedAtMs: 7_000 });
  sessions.claim(otherSession, "pi", 9_000);
  const driver = openBunDriver(path);
  const [first, second, ...more] = listSessions(driver);
  expect(more).toEqual([]);
  expect(first).toEqual({
    ...{
      sessionId: session,
      harness: null,
      createdAtMs: 1_001,
      activeAtMs: 7_000,
      directory: "/elsewhere",
    },
    ...{ epochs: 2, calls: 2, busts: 1, usage, waiting: 1 },
    bill: {
      ...{ priced: 1, paidNanos: 2_220_000, savedNanos: 19_320_000 },
      spared: { calls: 1, tokens: usage.cacheReadTokens },
    },
  });
  const nothing = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  expect(second).toEqual({
    ...{ sessionId: otherSession, harness: "pi", createdAtMs: 1_001, activeAtMs: 1_001 },
    ...{ directory: "/project/app", epochs: 1, calls: 0, busts: 0, usage: nothing, waiting: 0 },
    bill: { priced: 0, paidNanos: 0, savedNanos: 0, spared: { calls: 0, tokens: 0 } },
  });
  expect(listSessionPlaces(driver)).toEqual([
    { sessionId: session, harness: null, activeAtMs: 6_000, directory: "/elsewhere" },
    { sessionId: otherSession, harness: "pi", activeAtMs: 1_001, directory: "/project/app" },
  ]);
  driver.close();
});

test("a session whose first call froze nothing is where its newest prompt was given", () => {
  const path = workspace.path();
  selectInboxStores(workspace.open(path)).inbox.admit({
    ...inputRecord("queued", "queue"),
    admittedAtMs: 7_000,
  });
  const driver = openBunDriver(path);
  expect(listSessions(driver)).toMatchObject([{ directory: "/project", epochs: 0, waiting: 1 }]);
  expect(listSessionPlaces(driver)).toMatchObject([{ directory: "/project" }]);
  driver.close();
});

test("a host claims a session before or after its first rows, and the newest claim counts", () => {
  const path = workspace.path();
  const { sessions, ledger, overview } = workspace.open(path);
  sessions.claim(session, "pi", 5_000);
  ledger.commit(firstCommit());
  expect(overview.of(session, 0).harness).toBe("pi");
  sessions.claim(session, "other", 6_000);
  expect(overview.of(session, 0).harness).toBe("other");
  const driver = openBunDriver(path);
  expect(listSessionPlaces(driver)).toMatchObject([{ sessionId: session, harness: "other" }]);
  driver.close();
});
