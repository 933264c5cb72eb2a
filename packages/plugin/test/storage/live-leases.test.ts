import { expect, test } from "bun:test";
import { leaseTable } from "../../src/features/inbox/lease-store.ts";
import { readLiveLeases } from "../../src/storage/session-list.ts";
import { firstCommit, otherSession, session } from "./records.ts";
import { Workspace } from "./workspace.ts";

const workspace = new Workspace();
const DAY_MS = 24 * 60 * 60_000;

test("a session is open where its lease ran out a day ago at most, and its owner lives", () => {
  const { driver, database } = workspace.withEpoch();
  database.ledger.commit(firstCommit(otherSession));
  leaseTable.in(driver).insert({ sessionId: session, owner: "a", expiresAtMs: 1_000 });
  leaseTable.in(driver).insert({ sessionId: otherSession, owner: "b", expiresAtMs: 1_001 });
  const live = (nowMs: number, gone: string) => [
    ...readLiveLeases(driver, nowMs, (owner) => owner === gone),
  ];
  const [one, two] = [
    [session, "a"],
    [otherSession, "b"],
  ] as const;
  expect(live(0, "nobody")).toEqual([[...one], [...two]]);
  expect(live(DAY_MS + 999, "nobody")).toEqual([[...one], [...two]]);
  expect(live(DAY_MS + 1_000, "nobody")).toEqual([[...two]]);
  expect(live(DAY_MS + 1_001, "nobody")).toEqual([]);
  expect(live(0, "b")).toEqual([[...one]]);
});
