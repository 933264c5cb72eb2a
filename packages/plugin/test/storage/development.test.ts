import { describe, expect, test } from "bun:test";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { selectInboxStores } from "../../src/features/inbox/inbox-deps.ts";
import { createSqliteMemoryStore } from "../../src/features/memory/sqlite-store.ts";
import type { OpenDriver } from "../../src/storage/driver.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import type { MovedDatabase } from "../../src/storage/open.ts";
import { openForReading } from "../../src/storage/open-existing.ts";
import type { ProjectId } from "../../src/storage/records.ts";
import { schema } from "../schema.ts";
import { DEVELOPMENT_SCHEMA, makeDevelopmentDatabase } from "./development-database.ts";
import { FaultPlan, forEachCrash, openWithFaults, sqliteError } from "./faults.ts";
import { openGate, reportsIn, spawnWorker } from "./processes.ts";
import { firstCommit, session } from "./records.ts";
import { catchStorageError, expectNewlyWritable, Workspace } from "./workspace.ts";

const workspace = new Workspace();
const project = "commit:c0ffee" as ProjectId;
const STAMP = "20250601T120000000Z";

function development(more = ""): string {
  const path = workspace.path();
  makeDevelopmentDatabase(path, more);
  return path;
}

/** Every row of every table. */
function rowsIn(path: string): Record<string, readonly unknown[]> {
  const driver = openBunDriver(path);
  try {
    const tables = driver.all("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
    return Object.fromEntries(
      tables.map(({ name }) => [name, driver.all(`SELECT * FROM "${name}" ORDER BY 1, 2`)]),
    );
  } finally {
    driver.close();
  }
}

function versionOf(path: string): number {
  const driver = openBunDriver(path);
  try {
    return Number(driver.get("PRAGMA user_version")?.user_version);
  } finally {
    driver.close();
  }
}

/** Opens it again and again as the plugin does, until it opens. */
function reopened(path: string, openDriver: OpenDriver = openBunDriver): MovedDatabase | null {
  const { database, movedAside } = workspace.opened(path, openDriver);
  database.close();
  return movedAside;
}

const KEPT = ["1 memory", "2 notes", "1 profile entry", "1 queued prompt"];
/** Tables whose rows are brought over, and how many of them. */
const BROUGHT = {
  ...{ memory: 2, memory_project: 1, memory_remote: 1, memory_workspace: 1, note: 2 },
  ...{ project_place: 1, session: 1, session_input: 1, team_link: 1, team_project: 1 },
  user_profile: 1,
};

function expectReplaced(path: string, before: ReturnType<typeof rowsIn>): void {
  const now = rowsIn(path);
  for (const [name, count] of Object.entries(BROUGHT)) {
    expect({ name, rows: now[name] }).toEqual({ name, rows: now[name]?.slice(0, count) ?? [] });
    expect(before[name]).toEqual(expect.arrayContaining([...(now[name] ?? [])]));
  }
  expect(versionOf(path)).toBe(schema.version);
}

const copies = (path: string) =>
  readdirSync(dirname(path)).filter((name) => name.includes(".development-"));

describe("a database of a development version", () => {
  test("K4: is moved aside whole, and what the user would miss is in the new one", () => {
    const path = development();
    const before = rowsIn(path);
    const { database, movedAside } = workspace.opened(path);
    const aside = `${path}.development-${DEVELOPMENT_SCHEMA}-${STAMP}`;
    expect(movedAside).toEqual({
      ...{ kind: "development", aside, version: DEVELOPMENT_SCHEMA, markdown: `${aside}.md` },
      ...{ kept: expect.arrayContaining(KEPT), left: 0 },
    });
    expect([rowsIn(aside), versionOf(aside)]).toEqual([before, DEVELOPMENT_SCHEMA]);
    expectReplaced(path, before);
    const memories = database.store(createSqliteMemoryStore);
    expect(memories.list(project).map(({ ref, text }) => `${ref} ${text}`)).toEqual(
      expect.arrayContaining(["m:000001 Tables are named in the singular."]),
    );
    expect(memories.openNotes(project, session).map(({ text }) => text)).toEqual([
      "Run the migration.",
    ]);
    expect(selectInboxStores(database).inbox.prompt("queued")?.parts).toEqual([
      { type: "text", text: "Look at the\nherons." },
    ]);
    expect(database.health().schemaVersion).toBe(schema.version);
    database.ledger.commit(firstCommit());
    database.close();
    // Once, and the copy is whatever it was.
    expect(reopened(path)).toBeNull();
    expect(copies(path).toSorted()).toEqual([basename(aside), `${basename(aside)}.md`]);
  });

  test("K4: what was brought over is in a file that a person can read, and only they", () => {
    const path = development();
    const moved = reopened(path);
    if (moved?.kind !== "development" || moved.markdown === null) throw new Error("none");
    const text = readFileSync(moved.markdown, "utf8");
    for (const line of [
      "# Memories of api",
      "- Tables are named in the singular. <!-- m:000001 importance=60 permanent by=user",
      "- Run the migration.",
      "- Renew the key.",
      "# How you like to work",
      "- Likes short answers.",
      `## ${session} in /work/api`,
      "> Look at the\n> herons.",
    ]) {
      expect(text).toContain(line);
    }
    expect(text).not.toContain("Done");
    for (const file of [moved.markdown, moved.aside])
      expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("K4: one without anything of a user's gets no Markdown, and one without tables is new", () => {
    const path = workspace.path();
    const driver = openBunDriver(path);
    driver.exec(`CREATE TABLE session (id TEXT NOT NULL PRIMARY KEY, created_at_ms INTEGER NOT NULL) STRICT;
      INSERT INTO session VALUES ('ses_one', 1);
      PRAGMA application_id = ${0x53525254}; PRAGMA user_version = 1`);
    driver.close();
    expect(reopened(path)).toMatchObject({ version: 1, markdown: null, kept: [], left: 0 });
    expect(copies(path)).toHaveLength(1);
    expectNewlyWritable(workspace.open(path));
    expect(workspace.opened(workspace.path()).movedAside).toBeNull();
  });

  test("K4: columns that it lacks get the schema's defaults; rows that don't fit stay in the copy, counted", () => {
    const path = development(`
      DROP TRIGGER team_memory_deleted;
      DROP INDEX memory_by_rank; DROP INDEX memory_candidate;
      ALTER TABLE memory DROP COLUMN candidate;
      INSERT INTO memory (id, ref, project, source, category, text, digest, importance, permanence, state, by,
        written_at_ms, changed_at_ms, checked_at_ms) VALUES
        ('bad', 'm:000003', 'commit:c0ffee', 'user', 'NO_SUCH', 'x', 'a3', 50, 'ordinary', 'active', 'user', 1, 1, 1);
      PRAGMA foreign_keys = OFF;
      INSERT INTO note (id, ref, project, text, by, state, written_at_ms) VALUES
        ('orphan', 'n:000009', 'commit:beef', 'Nowhere.', 'user', 'open', 5)`);
    const moved = reopened(path);
    expect(moved).toMatchObject({ kind: "development", left: 2 });
    const { memory, note } = rowsIn(path);
    expect(memory).toMatchObject([{ id: "one", candidate: 0 }, { id: "two" }]);
    expect(note).toHaveLength(2);
    expect(rowsIn(String(moved?.aside)).memory).toHaveLength(3);
  });

  test("K4: a session keeps its host, and a team's link goes along without sending anything again", () => {
    const path = development();
    reopened(path);
    const rows = rowsIn(path);
    expect(rows.session).toMatchObject([{ id: session, harness: "pi", head_seq: 0 }]);
    expect(rows.team_link).toMatchObject([{ member: "ann", server: "postgres://team" }]);
    expect([rows.team_project, rows.team_outbox]).toEqual([[{ id: project, cursor: 12 }], []]);
  });

  test("is refused to readers, and left as it is", async () => {
    const path = development();
    const error = await openForReading(path, schema).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "development_schema" });
    expect(String(error)).toContain(`schema ${DEVELOPMENT_SCHEMA}`);
    expect(String(error)).toContain("moves it aside");
    expect([versionOf(path), copies(path)]).toEqual([DEVELOPMENT_SCHEMA, []]);
  });
});

describe("what interrupts the replacement", () => {
  test("K1, K4: a crash at any storage call leaves the old database whole, or the new one with all of it", () => {
    const plan = new FaultPlan();
    const openDriver = openWithFaults(openBunDriver, plan);
    const path = development();
    const before = rowsIn(path);
    reopened(path, openDriver);
    const { calls } = plan;
    forEachCrash(calls, (fault) => {
      const { atCall, strikes } = fault;
      // Most calls drop a table or put a row in; the last ones commit. Long runs try all of them.
      const isChosen = atCall % 9 === 0 || atCall > calls - 6;
      if (process.env.LONG !== "1" && !(strikes === "before" && isChosen)) {
        if (atCall < calls) return;
      }
      const one = development();
      plan.arm(fault);
      expect(catchStorageError(() => reopened(one, openDriver)).cause).toBe(fault.error);
      plan.disarm();
      if (versionOf(one) === DEVELOPMENT_SCHEMA) expect(rowsIn(one)).toEqual(before);
      reopened(one);
      expectReplaced(one, before);
      const [whole = ""] = copies(one).filter((name) => !name.endsWith(".md"));
      expect(rowsIn(join(dirname(one), whole))).toEqual(before);
      expect(readdirSync(dirname(one)).filter((name) => name.includes(".moving"))).toEqual([]);
    });
  });

  for (const code of ["SQLITE_BUSY", "SQLITE_FULL", "SQLITE_IOERR"] as const) {
    test(`K1, K3: ${code} at any storage call loses nothing, and the next attempt succeeds`, () => {
      const plan = new FaultPlan();
      const openDriver = openWithFaults(openBunDriver, plan);
      const first = development();
      const before = rowsIn(first);
      reopened(first, openDriver);
      const { calls } = plan;
      const step = process.env.LONG === "1" ? 1 : 13;
      for (let atCall = 1; atCall <= calls; atCall += step) {
        const path = development();
        plan.arm({ atCall, strikes: "before", afterwards: "works", error: sqliteError(code) });
        try {
          reopened(path, openDriver);
        } catch (error) {
          expect(error).toHaveProperty("name", "StorageError");
        }
        plan.disarm();
        reopened(path);
        expectReplaced(path, before);
      }
    });
  }

  test("K3: a copy that can't be written, as on a full disk, leaves the database as it is", () => {
    const path = development();
    const before = rowsIn(path);
    const openDriver: OpenDriver = (file) => {
      const driver = openBunDriver(file);
      return {
        ...driver,
        run: (sql, ...binds) => {
          if (sql.startsWith("VACUUM")) {
            writeFileSync(String(binds[0]), "half of it");
            throw sqliteError("SQLITE_FULL");
          }
          return driver.run(sql, ...binds);
        },
      };
    };
    const { code, message } = catchStorageError(() => reopened(path, openDriver));
    expect([code, message]).toEqual(["full", expect.stringContaining("Free some space")]);
    expect([rowsIn(path), versionOf(path)]).toEqual([before, DEVELOPMENT_SCHEMA]);
    // Half a copy takes no space of a disk that is full.
    expect(readdirSync(dirname(path)).filter((name) => /moving|development/.test(name))).toEqual(
      [],
    );
    expect(reopened(path)).toMatchObject({ kind: "development" });
  });

  test("K3: another process's write lock is waited for a second, then it is refused as locked", () => {
    const path = development();
    const other = openBunDriver(path);
    other.exec("BEGIN IMMEDIATE");
    expect(catchStorageError(() => reopened(path)).code).toBe("locked");
    expect(copies(path)).toEqual([]);
    other.exec("ROLLBACK");
    other.close();
    expect(reopened(path)).toMatchObject({ kind: "development" });
  });

  test("K3: in a folder that can't be written it is refused as read_only, and stays", async () => {
    const path = development();
    const before = rowsIn(path);
    chmodSync(path, 0o444);
    chmodSync(dirname(path), 0o555);
    const worker = spawnWorker("unprivileged.ts", path);
    const reports = reportsIn(await new Response(worker.stdout).text());
    expect(reports).toMatchObject([{ code: "read_only" }]);
    chmodSync(dirname(path), 0o755);
    chmodSync(path, 0o644);
    expect([rowsIn(path), copies(path)]).toEqual([before, []]);
  });

  test("K2, K4: of processes that open it at once one replaces it, and all get the new one", async () => {
    const path = development();
    const before = rowsIn(path);
    const gate = join(dirname(path), "gate");
    const workers = [1, 2, 3].map(() => spawnWorker("open-one.ts", path, gate));
    await openGate(gate, workers.length);
    const outputs = await Promise.all(workers.map(({ stdout }) => new Response(stdout).text()));
    const reports = outputs.flatMap(reportsIn) as { version: number; moved: string | null }[];
    expect(reports.map(({ version }) => version)).toEqual(Array(3).fill(schema.version));
    expect(reports.filter(({ moved }) => moved !== null)).toHaveLength(1);
    expectReplaced(path, before);
    expect(copies(path)).toHaveLength(2);
  });
});
