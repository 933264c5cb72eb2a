import { expect, test } from "bun:test";
import { briefRecord, firstCommit, otherSession, session } from "./records.ts";
import { Workspace } from "./workspace.ts";

const workspace = new Workspace();

test("briefs are ranked; the newest one, and the newest of a compaction, are found", () => {
  const { briefs } = workspace.open(workspace.path());
  expect(briefs.newest(session)).toBeNull();
  briefs.append(briefRecord("msg_1"));
  briefs.append({ ...briefRecord("msg_1"), text: "tried again" });
  briefs.append(briefRecord("msg_2"));
  briefs.append(briefRecord(null, otherSession));
  expect(briefs.newest(session)).toEqual({ ...briefRecord("msg_2"), seq: 3 });
  expect(briefs.ofCompaction(session, "msg_1")).toMatchObject({ seq: 2, text: "tried again" });
  expect(briefs.ofCompaction(session, "msg_9")).toBeNull();
  expect(briefs.newest(otherSession)).toMatchObject({ seq: 1, compactionId: null });
});

test("a session that is only known by its brief takes its first epoch, and loses all with its row", () => {
  const { briefs, ledger, sessions } = workspace.open(workspace.path());
  briefs.append(briefRecord("msg_1"));
  expect(ledger.commit(firstCommit())).toEqual({ kind: "committed" });
  sessions.remove(session);
  expect(briefs.newest(session)).toBeNull();
});

test("what can't be written as UTF-8 comes back as it was", () => {
  const { briefs } = workspace.open(workspace.path());
  briefs.append({ ...briefRecord("msg_1"), text: "half \ud83d, zero \u0000" });
  expect(briefs.newest(session)?.text).toBe("half \ud83d, zero \u0000");
});
