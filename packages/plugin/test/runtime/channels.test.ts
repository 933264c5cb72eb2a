// What the user is notified of: each by a code of its own, and nothing twice.
import { describe, expect, test } from "bun:test";
import type { Notice, Notices } from "../../src/log/notices.ts";
import {
  reportConfigWarnings,
  reportMovedDatabase,
  reportSourceFailure,
} from "../../src/runtime/channels.ts";
import { FILES_LATE_REASON } from "../../src/session/source-observation.ts";
import { DATABASE_UNREADABLE } from "../../src/storage/database.ts";

function stand() {
  const told: Notice[] = [];
  const logged: unknown[] = [];
  const notices = { notice: (notice: Notice) => void told.push(notice) } as unknown as Notices;
  const log = { warn: (event: string, fields: object) => void logged.push([event, fields]) };
  return { told, logged, notices, channels: { notices, log } as never };
}

describe("the user is notified", () => {
  test("of what was not taken of a configuration, by its file and key", () => {
    const { told, notices } = stand();
    const warning = {
      kind: "wrong",
      file: "/a.jsonc",
      line: 3,
      reason: "must be a number",
    } as const;
    reportConfigWarnings(notices, [
      { ...warning, key: "cache.ttlMs" },
      { ...warning, key: null, line: null, reason: "is no JSON" },
    ]);
    expect(told).toMatchObject([
      {
        code: "config:/a.jsonc:cache.ttlMs",
        message: "/a.jsonc:3: cache.ttlMs: must be a number.",
      },
      { code: "config:/a.jsonc:", message: "/a.jsonc: is no JSON." },
    ]);
  });

  test("of a database that was moved aside, with both names", () => {
    const { told, notices } = stand();
    const aside = "/data/runtime.db.corrupt-1";
    reportMovedDatabase(notices, "/data/runtime.db", { kind: "damaged", aside });
    expect(told).toMatchObject([{ code: "storage_moved_aside", severity: "error" }]);
    expect(told[0]?.message).toContain("/data/runtime.db was damaged");
    expect(told[0]?.message).toContain("moved to /data/runtime.db.corrupt-1.");
    const remedy = told[0]?.remedy;
    expect(remedy).toContain("Your memories and notes were in that file.");
    expect(remedy).toContain("memory export memories.md --db /data/runtime.db.corrupt-1");
    expect(remedy).toContain("session-runtime memory import memories.md");
  });

  test("of a database of a development version: what was moved where, what came along, what to do", () => {
    const { told, notices } = stand();
    const aside = "/data/runtime.db.development-31-1";
    const moved = { kind: "development", aside, version: 31, markdown: `${aside}.md` } as const;
    reportMovedDatabase(notices, "/data/runtime.db", {
      ...{ ...moved, kept: ["2 memories", "1 note"], left: 1 },
    });
    expect(told).toMatchObject([{ code: "storage_replaced", severity: "warning" }]);
    const message = told[0]?.message;
    for (const part of [
      "/data/runtime.db was written by a development version (schema 31)",
      `moved to ${aside}, and a new one was created`,
      "Brought over: 2 memories, 1 note.",
      `They are also in ${aside}.md.`,
      "1 row that did not fit stayed in the old one.",
    ]) {
      expect(message).toContain(part);
    }
    expect(told[0]?.remedy).toContain("Delete the moved files once nothing is missing.");
    const empty = { ...moved, markdown: null, kept: [], left: 0 };
    const again = stand();
    reportMovedDatabase(again.notices, "/data/runtime.db", empty);
    expect(again.told[0]?.message).toEndWith("It held no memories, notes or queued prompts.");
  });

  test("of a source that can't be read, unless it is for the database, which has its own notice, or a busy machine", () => {
    const { told, logged, channels } = stand();
    reportSourceFailure(channels, "core/date", "no answer within 20 ms");
    reportSourceFailure(channels, "memory", DATABASE_UNREADABLE);
    reportSourceFailure(channels, "core/instructions", FILES_LATE_REASON);
    expect(told.map(({ code }) => code)).toEqual(["source_unavailable:core/date"]);
    expect(logged).toEqual([
      ["source.unavailable", { key: "core/date", reason: "no answer within 20 ms" }],
      ["source.unavailable", { key: "memory", reason: DATABASE_UNREADABLE }],
      ["source.unavailable", { key: "core/instructions", reason: FILES_LATE_REASON }],
    ]);
  });
});
