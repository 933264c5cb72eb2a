import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { statSync } from "node:fs";
import { selectInboxStores } from "@session-runtime/opencode/features/inbox/inbox-deps";
import { createOwnerId } from "@session-runtime/opencode/features/inbox/process-id";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import type { SessionListing } from "@session-runtime/opencode/storage/session-list";
import { inputRecord } from "../../../plugin/test/features/inbox/records.ts";
import { sessionsIn } from "../../../plugin/test/storage/records.ts";
import { ageMs, sizeInBytes } from "../../src/amounts.ts";
import { EMPTY_BYTES, type PruneInput, planPrune } from "../../src/prune/plan.ts";
import { DataFolders, first, second, storeSession } from "./data-folder.ts";

setDefaultTimeout(600_000);
const folders = new DataFolders();
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = Date.UTC(2026, 2, 1);

function line(id: string, idleDays: number, waiting = 0): SessionListing {
  const activeAtMs = NOW_MS - idleDays * DAY_MS;
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const sessionId = id as SessionId;
  const bill = { priced: 0, paidNanos: 0, savedNanos: 0, spared: { calls: 0, tokens: 0 } };
  const figures = { epochs: 1, calls: 1, busts: 0, usage, waiting, bill };
  return {
    sessionId,
    createdAtMs: activeAtMs,
    activeAtMs,
    directory: null,
    harness: null,
    ...figures,
  };
}

/** Most recently active first; each of 1000 bytes, in a file that is as large as they are. */
function createPruneInput(
  sessions: readonly SessionListing[],
  open: readonly string[] = [],
): PruneInput {
  return {
    sessions,
    sizes: new Map(sessions.map(({ sessionId }) => [sessionId, 1_000])),
    fileBytes: EMPTY_BYTES + sessions.length * 1_000,
    open: new Set(open as SessionId[]),
  };
}

const byAge = { nowMs: NOW_MS, olderThanMs: 30 * DAY_MS, largestBytes: null };

describe("what goes", () => {
  const sessions = [line("new", 1), line("idle", 31), line("ancient", 400)];

  test("by age: what has been idle for longer, the oldest first", () => {
    const { goes, kept, afterBytes } = planPrune(createPruneInput(sessions), byAge);
    expect(goes.map(({ sessionId, why }) => [String(sessionId), why])).toEqual([
      ["ancient", "old"],
      ["idle", "old"],
    ]);
    expect(kept).toEqual([]);
    expect(afterBytes).toBe(EMPTY_BYTES + 1_000);
  });

  test("by size: the least recently active, and no more than it takes", () => {
    const rules = { nowMs: NOW_MS, olderThanMs: null, largestBytes: EMPTY_BYTES + 2_500 };
    const { goes } = planPrune(createPruneInput(sessions), rules);
    expect(goes.map(({ sessionId, why }) => [String(sessionId), why])).toEqual([
      ["ancient", "large"],
    ]);
  });

  test("never what a process has open, what was active in the last hour, or what prompts wait in", () => {
    const all = [line("just now", 0.01), line("waits", 50, 1), line("open", 60), line("old", 70)];
    const rules = { nowMs: NOW_MS, olderThanMs: 0, largestBytes: 0 };
    const { goes, kept } = planPrune(createPruneInput(all, ["open"]), rules);
    expect(goes.map(({ sessionId }) => String(sessionId))).toEqual(["old"]);
    expect(kept.map(({ sessionId, why }) => [String(sessionId), why])).toEqual([
      ["open", "open"],
      ["waits", "waiting"],
      ["just now", "recent"],
    ]);
  });

  test("ages and sizes are read as people write them, and nonsense is refused", () => {
    expect([ageMs("90d", ""), ageMs("12h", ""), ageMs("2w", ""), ageMs("5", "")]).toEqual([
      90 * DAY_MS,
      12 * HOUR_MS,
      14 * DAY_MS,
      5 * DAY_MS,
    ]);
    expect([sizeInBytes("200MB", ""), sizeInBytes("1.5g", ""), sizeInBytes("10", "")]).toEqual([
      200_000_000, 1_500_000_000, 10,
    ]);
    for (const text of ["", "soon", "-3d", "3 parsecs"]) {
      expect(() => ageMs(text, "--older-than")).toThrow("--older-than needs an age");
      expect(() => sizeInBytes(text, "--max-size")).toThrow("--max-size needs a size");
    }
  });
});

describe("from the shell", () => {
  test("nothing goes without --yes; with it the session is gone and the file smaller", async () => {
    const folder = folders.make();
    const database = folder.open();
    storeSession(database, first, Date.now() - 40 * DAY_MS);
    storeSession(database, second, Date.now() - 2 * DAY_MS);
    const filler = { ...inputRecord("msg_large", "steer"), sessionId: first };
    selectInboxStores(database).inbox.admit({
      ...filler,
      preview: "x".repeat(500_000),
      admittedAtMs: 1,
    });
    selectInboxStores(database).inbox.settle("msg_large", "answered", 2);
    const dry = await folder.run(["prune", "--older-than", "30d"]);
    expect(dry.out).toContain(first);
    expect(dry.out).toContain("Nothing was removed. Add --yes to remove these sessions.");
    expect(sessionsIn(database)).toHaveLength(2);
    const asked = await folder.run(["prune", "--older-than", "30d", "--dry-run"]);
    expect(asked.out).toBe(dry.out);
    const both = await folder.run(["prune", "--older-than", "30d", "--dry-run", "--yes"]);
    expect(both.exitCode).toBe(2);
    const { out, exitCode } = await folder.run(["prune", "--older-than", "30d", "--yes", "--json"]);
    expect(exitCode).toBe(0);
    const result = JSON.parse(out);
    expect(result.outcome).toEqual({ removed: 1, spared: [], shrunk: "shrunk" });
    expect(sessionsIn(database)).toEqual([second]);
    expect(result.afterBytes).toBeLessThan(result.beforeBytes - 400_000);
    // An empty database of this many tables and indices takes about 300 kB.
    expect(statSync(folder.path).size).toBeLessThan(400_000);
  });

  test("a session that a live process has open stays, one whose process has ended goes", async () => {
    const folder = folders.make();
    const database = folder.open();
    for (const sessionId of [first, second]) storeSession(database, sessionId, DAY_MS);
    const times = {
      nowMs: Date.now(),
      expiresAtMs: Date.now() + 60_000,
      isProcessDead: () => false,
    };
    selectInboxStores(database).leases.acquire({
      sessionId: first,
      owner: createOwnerId(),
      ...times,
    });
    const ended = createOwnerId().replace(`/${process.pid}/`, "/999999999/");
    selectInboxStores(database).leases.acquire({ sessionId: second, owner: ended, ...times });
    const { out } = await folder.run(["prune", "--yes", "--json"]);
    expect(JSON.parse(out).kept).toEqual([
      expect.objectContaining({ sessionId: first, why: "open" }),
    ]);
    expect(sessionsIn(database)).toEqual([first]);
  });

  test("while another process reads, the session goes and the file is shrunk another time", async () => {
    const folder = folders.make();
    const database = folder.open();
    storeSession(database, first, DAY_MS);
    const { openBunDriver } = await import("@session-runtime/opencode/storage/driver-bun");
    const reader = openBunDriver(folder.path);
    reader.exec("BEGIN");
    reader.get("SELECT count(*) FROM turn");
    const { out } = await folder.run(["prune", "--yes", "--json"]);
    reader.exec("COMMIT");
    reader.close();
    expect(JSON.parse(out).outcome).toEqual({ removed: 1, spared: [], shrunk: "locked" });
    expect(sessionsIn(database)).toEqual([]);
  });
});
