import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { limitStore } from "../../src/limits/store.ts";
import { commitId, type HostProject } from "../../src/project/project.ts";
import { projectStore } from "../../src/project/store.ts";
import { inboxDatabase } from "../../src/rooms/inbox/inbox-deps.ts";
import { rewriteStore } from "../../src/rooms/rewrites/store.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { inputRecord, leaseOf } from "../rooms/inbox/records.ts";
import { rewriteRecord } from "../rooms/rewrites/records.ts";
import { schema } from "../schema.ts";
import { dump, schemaOf } from "./dump.ts";
import {
  briefRecord,
  cost,
  entryRecord,
  epochRecord,
  firstCommit,
  otherSession,
  outcome,
  session,
  sessionsIn,
  turnRecord,
  usage,
} from "./records.ts";
import { Workspace } from "./workspace.ts";

const workspace = new Workspace();
const witness = { ...entryRecord(3, 1), origin: "record-shown", edit: null };
const FIXTURES = join(import.meta.dir, "fixtures");

/** A dump of this version's database with a bit of everything. Written once, at its release. */
function fixtureOf(version: number): string {
  const file = join(FIXTURES, `${String(version).padStart(4, "0")}.sql`);
  const isCurrent = version === schema.version;
  if (isCurrent && process.env.UPDATE_GOLDEN === "1") writeFileSync(file, dumpOfSample());
  if (!existsSync(file))
    throw new Error(`No ${file}: UPDATE_GOLDEN=1 writes the current version's.`);
  return readFileSync(file, "utf8");
}

/** By hand, as their ids are random. */
const SAMPLE_MEMORIES = `
INSERT INTO memory_workspace VALUES ('shop', 1);
INSERT INTO memory_project (id, name, worktree, workspace, shares, seen_at_ms) VALUES
  ('commit:c0ffee', 'api', '/work/api', 'shop', 'ARCHITECTURE,NAMING', 2);
INSERT INTO memory (id, ref, project, category, text, digest, importance, permanence, state,
  superseded_by, by, session_id, segment, written_at_ms, changed_at_ms, checked_at_ms, used_at_ms, uses)
VALUES
  ('one', 'm:000001', 'commit:c0ffee', 'NAMING', 'Tables are named in the singular.',
   '00000000000000a1', 60, 'ordinary', 'active', NULL, 'model', '${session}', NULL, 3, 3, 3, 4, 2),
  ('two', 'm:000002', 'commit:c0ffee', 'NAMING', 'Tables have singular names.',
   '00000000000000a2', 50, 'ordinary', 'superseded', 'one', 'historian', NULL, 'h:000003', 2, 3, 2, NULL, 0);
`;

const SAMPLE_NOTES = `
INSERT INTO note (id, ref, project, session_id, text, by, condition, state, written_at_ms) VALUES
  ('three', 'n:000001', 'commit:c0ffee', '${session}', 'Run the migration.', 'user', NULL, 'open', 5),
  ('four', 'n:000002', 'commit:c0ffee', '${session}', 'Renew the key.', 'model',
   '{"kind":"date","atMs":9}', 'waiting', 6);
INSERT INTO user_profile VALUES (1, 'Likes short answers.', 'model', 7);
`;

/** With a digest of the Baseline that is made up like the others: the released fixtures have it so. */
function madeUpTurn(sentAtMs: number, epochSeq?: number): ReturnType<typeof turnRecord> {
  const { digests, ...turn } = turnRecord(sentAtMs, epochSeq);
  return { ...turn, digests: { ...digests, baseline: digests.tools } };
}

function dumpOfSample(): string {
  const path = workspace.path();
  const database = workspace.open(path);
  const { ledger, turns, briefs, forms, store } = database;
  const { inbox, leases } = inboxDatabase(database);
  ledger.commit({ ...firstCommit(), entries: [entryRecord(2, 1), witness] });
  ledger.commit({ sessionId: session, expectedSeq: 3, epoch: epochRecord(4), entries: [] });
  ledger.commit(firstCommit(otherSession));
  turns.append(madeUpTurn(10));
  turns.settle(session, outcome(10, usage, "tools changed"));
  turns.append(madeUpTurn(20, 4));
  inbox.admit(inputRecord("msg_steer", "steer"));
  inbox.promote(["msg_steer"], 30);
  inbox.admit(inputRecord("queued", "queue"));
  leases.acquire(leaseOf("someone"));
  const letGo = { kind: "let-go", urgency: "waits", output: { partIds: ["prt_1"] } } as const;
  database.proposals.add({ ...letGo, sessionId: session }, 30);
  briefs.append(briefRecord("msg_compaction"));
  const owner = { sessionId: session, providerId: "anthropic", modelId: "claude-opus-5" };
  forms.decide(owner, [{ entrySeq: 2, form: "native", cause: "first" }], 40);
  const driver = openBunDriver(path);
  driver.exec(SAMPLE_MEMORIES);
  driver.exec(SAMPLE_NOTES);
  driver.close();
  store(rewriteStore).append(rewriteRecord(2));
  const model = { providerId: "anthropic", modelId: "claude-opus-5" };
  store(limitStore).put({ ...model, tokens: 180_000, statedAtMs: 50 });
  return dumpOf(path);
}

function dumpOf(path: string): string {
  const driver = openBunDriver(path);
  const text = dump(driver);
  driver.close();
  return text;
}

function schemaAt(path: string) {
  const driver = openBunDriver(path);
  const schema = schemaOf(driver);
  driver.close();
  return schema;
}

describe("migrations", () => {
  test("are numbered from 1 without a gap, and each has a fixture", () => {
    const versions = schema.migrations.map(({ version }) => version);
    expect(versions).toEqual(versions.map((_, index) => index + 1));
    for (const version of versions) fixtureOf(version);
    expect(readdirSync(FIXTURES)).toHaveLength(versions.length);
  });

  for (const { version } of schema.migrations) {
    test(`K4: a database of released schema ${version} becomes like a fresh one and keeps its rows`, () => {
      const path = workspace.path();
      const old = openBunDriver(path);
      old.exec(fixtureOf(version));
      old.close();
      const database = workspace.open(path);
      const fresh = workspace.path();
      workspace.open(fresh);
      expect(schemaAt(path)).toEqual(schemaAt(fresh));
      expect(database.health().schemaVersion).toBe(schema.version);
      const { epochs, entries } = database.ledger.load(session);
      expect(epochs).toEqual([epochRecord(1), epochRecord(4)]);
      expect(entries).toEqual([entryRecord(2, 1), witness]);
      expect(database.turns.recent(session, 9)).toEqual([
        { ...madeUpTurn(20, 4), seq: 2, usage: null, cost: null },
        {
          ...madeUpTurn(10),
          seq: 1,
          usage,
          cost: version < 6 ? null : cost,
          bust: "tools changed",
        },
      ]);
      expect(sessionsIn(database)).toHaveLength(2);
      // The inbox came with schema 2, whose prompts did not say whether a reply is wanted.
      const queued = version >= 2 ? inputRecord("queued", "queue").prompt : null;
      expect(inboxDatabase(database).inbox.prompt("queued")).toEqual(queued);
    });
  }

  test("K4: memories that were there before get whose words they are, and numbers", () => {
    const path = workspace.path();
    const old = openBunDriver(path);
    old.exec(fixtureOf(15));
    old.exec(SAMPLE_MEMORIES);
    old.exec(`
      UPDATE memory SET importance = 100 WHERE id = 'one';
      INSERT INTO memory SELECT 'own', 'm:000003', project, category, 'mine', 'x', 80, permanence, state,
        superseded_by, 'user', session_id, segment, 1, 3, 3, used_at_ms, uses FROM memory WHERE id = 'one';
      INSERT INTO memory SELECT 'kept', 'm:000004', project, category, 'ours', 'y', 90, permanence, state,
        superseded_by, 'upkeep', session_id, segment, 9, 9, 9, used_at_ms, uses FROM memory WHERE id = 'one';
      INSERT INTO memory SELECT 'former', 'm:000005', project, category, 'mine, too', 'z', 90, permanence,
        'superseded', 'kept', 'import', session_id, segment, 9, 9, 9, used_at_ms, uses FROM memory WHERE id = 'one';`);
    old.close();
    workspace.open(path);
    const driver = openBunDriver(path);
    const rows = driver.all(
      "SELECT id, source, importance, number, candidate FROM memory ORDER BY id",
    );
    const numbered = driver.all("SELECT numbered FROM memory_project");
    driver.close();
    expect(rows.map((row) => Object.values(row).join(" "))).toEqual([
      "former user 90  0",
      "kept user 90 3 0",
      "one session 60 2 0",
      "own user 80 1 0",
      "two session 50  0",
    ]);
    expect(numbered).toEqual([{ numbered: 3 }]);
  });

  test("K4: jobs that were there before are found by what they are about", () => {
    const path = workspace.path();
    const old = openBunDriver(path);
    old.exec(fixtureOf(18));
    const put = (kind: string, key: string, input: unknown) =>
      old.run(
        `INSERT INTO job (kind, project, key, urgency, state, due_at_ms, input, input_digest, created_at_ms)
         VALUES (?, '/p', ?, 'waits', 'due', 1, ?, 'd', 1)`,
        ...[kind, key, JSON.stringify(input)],
      );
    put("historian", "a", { purpose: "batch", generation: 0, firstId: "msg_1", lastId: "msg_9" });
    put("historian", "b", { purpose: "recomp", generation: 2, afterId: null });
    put("historian", "c", { unknown: true });
    put("upkeep", "d", { runId: 12, step: 3 });
    put("fold", "e", null);
    old.close();
    workspace.open(path);
    const driver = openBunDriver(path);
    const subjects = driver.all("SELECT subject FROM job ORDER BY key").map((row) => row.subject);
    driver.close();
    expect(subjects).toEqual(["batch msg_9", "recomp 2", null, "12", null]);
  });

  test("K4: what a tool or a command proposed waits on, and jobs keep what came of them", () => {
    const path = workspace.path();
    const old = openBunDriver(path);
    old.exec(fixtureOf(25));
    old.exec(`
      INSERT INTO job (id, kind, project, session_id, key, urgency, state, due_at_ms, input, proposal,
        model, input_tokens, created_at_ms, started_at_ms) VALUES
        (1, 'let-go', '/p', '${session}', 'a', 'waits', 'taken', 1, 'null', '{"partIds":["prt_0"]}', NULL, 0, 1, NULL),
        (2, 'let-go', '/p', '${session}', 'b', 'waits', 'settled', 1, 'null', '{"partIds":["prt_1"]}', NULL, 0, 1, NULL),
        (3, 'fold-now', '/p', '${session}', 'c', 'command', 'settled', 1, 'null', 'null', NULL, 0, 1, NULL),
        (4, 'let-go', '/p', '${session}', 'd', 'waits', 'settled', 1, 'null', '{"partIds":["prt_1"]}', NULL, 0, 1, NULL),
        (5, 'historian', '/p', '${session}', 'e', 'waits', 'taken', 1, '{}', NULL, 'p/m', 7, 1, 2),
        (6, 'word', '/p', '${otherSession}', 'f', 'waits', 'settled', 1, '{}', '"yes"', 'p/m', 8, 1, 2),
        (7, 'upkeep', '/p', NULL, 'g', 'waits', 'stale', 1, '{}', NULL, 'p/m', 9, 1, 2),
        (8, 'historian', '/p', '${session}', 'h', 'waits', 'due', 1, '{}', NULL, NULL, 0, 1, NULL),
        (9, 'historian', '/p', '${session}', 'i', 'waits', 'given_up', 1, '{}', NULL, NULL, 0, 1, NULL);`);
    old.close();
    const { proposals, ledger } = workspace.open(path);
    const driver = openBunDriver(path);
    const jobs = driver.all("SELECT id, kind, state, input_tokens AS tokens FROM job ORDER BY id");
    driver.close();
    expect(jobs.map((row) => Object.values(row).join(" "))).toEqual([
      "5 historian settled 7",
      "6 word settled 8",
      "7 upkeep settled 9",
      "8 historian due 0",
      "9 historian given_up 0",
    ]);
    const letGo = { id: 2, kind: "let-go", urgency: "waits", output: { partIds: ["prt_1"] } };
    const foldNow = { id: 3, kind: "fold-now", urgency: "command", output: null };
    expect(proposals.waiting(session)).toEqual([letGo, foldNow] as never);
    expect(proposals.waiting(otherSession)).toMatchObject([{ id: 6, kind: "word", output: "yes" }]);
    const nothing = { sessionId: session, expectedSeq: 4, epoch: null, entries: [] };
    ledger.commit(nothing, [2, 3]);
    expect(proposals.waiting(session)).toEqual([]);
  });

  test("K4: notes and reminders of two tables become one; a reminder with a note's ref gets another", () => {
    const path = workspace.path();
    const old = openBunDriver(path);
    old.exec(fixtureOf(24));
    old.exec(`
      INSERT INTO memory_project (id, name, worktree, seen_at_ms) VALUES ('commit:c0ffee', 'api', '/work/api', 2);
      INSERT INTO team_link (one) VALUES (1);
      INSERT INTO note VALUES
        ('three', 'n:00000a', 'commit:c0ffee', '${session}', 'Migrate.', 'user', 'open', 5, NULL),
        ('done', 'n:00000b', 'commit:c0ffee', NULL, 'Ship it.', 'model', 'done', 5, 6);
      INSERT INTO smart_note VALUES
        ('four', 'n:00000c', '/work/api', '${session}', 'Renew.', '{"kind":"date","atMs":9}', 'model', 'waiting', 6, 0),
        ('five', 'n:00000a', 'commit:c0ffee', NULL, 'Look.', '{"kind":"date","atMs":9}', 'user', 'due', 7, 8),
        ('six', 'n:00000d', 'folder:/gone', NULL, 'Look on.', '{"kind":"date","atMs":9}', 'user', 'done', 8, 9);
      INSERT INTO team_project (id) VALUES ('commit:c0ffee'), ('folder:/gone');`);
    old.close();
    workspace.open(path);
    const driver = openBunDriver(path);
    const rows = driver.all(
      `SELECT id, ref, project, session_id, text, by, json_extract(condition, '$.atMs') AS at, state,
         written_at_ms, checked_at_ms, done_at_ms FROM note ORDER BY rowid`,
    );
    const places = driver.all("SELECT id, worktree FROM memory_project ORDER BY id");
    const waiting = driver.all("SELECT kind, id FROM team_outbox ORDER BY n");
    driver.run("UPDATE note SET state = 'open' WHERE id IN ('done', 'six')");
    const changed = driver.all("SELECT kind, id FROM team_outbox ORDER BY n");
    driver.close();
    expect(rows.map((row) => Object.values(row).join(" "))).toEqual([
      `three n:00000a commit:c0ffee ${session} Migrate. user  open 5 0 `,
      "done n:00000b commit:c0ffee  Ship it. model  done 5 0 6",
      `four n:00000c host:/work/api ${session} Renew. model 9 waiting 6 0 `,
      "five n:000002 commit:c0ffee  Look. user 9 open 7 8 ",
      "six n:00000d folder:/gone  Look on. user 9 done 8 9 ",
    ]);
    expect(places.map(({ id, worktree }) => `${id} ${worktree}`)).toEqual([
      "commit:c0ffee /work/api",
      "folder:/gone ",
      "host:/work/api ",
    ]);
    // A shared note is not sent again for having moved; its next change is sent, and a reminder's is not.
    expect(waiting).toEqual([]);
    expect(changed).toEqual([{ kind: "note", id: "done" }]);
  });

  test("K4: a change of upkeep that a kill has cut short was made, or was not", () => {
    const path = workspace.path();
    const old = openBunDriver(path);
    old.exec(fixtureOf(24));
    old.exec(SAMPLE_MEMORIES);
    const run = (id: number, endedAtMs: number | null) =>
      old.run(
        `INSERT INTO upkeep_run (id, project, directory, task, asked_by, begun_at_ms, ended_at_ms)
         VALUES (?, 'p${id}', '/p', 'archive', 'shell', 1, ?)`,
        ...[id, endedAtMs],
      );
    run(1, null);
    run(2, 9);
    const making = (
      id: number,
      runId: number,
      stampMs: number,
      given: { kind: string; of: string },
    ) =>
      old.run(
        `INSERT INTO upkeep_change (id, run_id, state, proposal, before, ref, stamp_ms)
         VALUES (?, ?, 'making', ?, ?, 'm:000001', ?)`,
        ...[
          id,
          runId,
          JSON.stringify({ kind: given.kind }),
          JSON.stringify([{ id: given.of }]),
          stampMs,
        ],
      );
    old.exec("UPDATE memory SET changed_at_ms = 4 WHERE id = 'one'");
    making(1, 1, 4, { kind: "rewrite", of: "one" });
    making(2, 2, 3, { kind: "merge", of: "two" });
    making(3, 1, 3, { kind: "checked", of: "one" });
    making(4, 1, 3, { kind: "rewrite", of: "one" });
    making(5, 2, 4, { kind: "checked", of: "one" });
    old.exec("INSERT INTO upkeep_change (id, run_id, state) VALUES (6, 1, 'refused')");
    old.close();
    workspace.open(path);
    const driver = openBunDriver(path);
    const rows = driver.all("SELECT id, state, code, result_id FROM upkeep_change ORDER BY id");
    driver.close();
    expect(rows.map((row) => Object.values(row).join(" "))).toEqual([
      "1 done  one",
      "2 done  one",
      "3 done  one",
      "4 proposed  ",
      "5 refused not_made ",
      "6 refused  ",
    ]);
  });

  test("K4: who of a team wrote a row is in the row, and who deleted one in the outbox", () => {
    const path = workspace.path();
    const old = openBunDriver(path);
    old.exec(fixtureOf(24));
    old.exec(SAMPLE_MEMORIES);
    old.exec(`
      INSERT INTO note (id, ref, project, text, by, state, written_at_ms)
      VALUES ('three', 'n:000001', 'commit:c0ffee', 'Migrate.', 'user', 'open', 5);
      INSERT INTO team_link (one, member) VALUES (1, 'ann');
      INSERT INTO team_author VALUES ('one', 'ann'), ('three', 'bob'), ('gone', 'cid');
      INSERT INTO team_outbox (kind, id, project, change_id) VALUES
        ('memory', 'one', 'commit:c0ffee', 'a'), ('note', 'gone', 'commit:c0ffee', 'b');
      INSERT INTO team_project (id) VALUES ('commit:c0ffee');`);
    old.close();
    workspace.open(path);
    const driver = openBunDriver(path);
    const members = () =>
      driver
        .all(
          `SELECT id, member FROM memory UNION ALL SELECT id, member FROM note
           UNION ALL SELECT 'waits ' || id, member FROM team_outbox`,
        )
        .map(({ id, member }) => `${id} ${member}`);
    const before = ["one ann", "two null", "three bob", "waits one null", "waits gone cid"];
    expect(members()).toEqual(before);
    driver.run("UPDATE note SET state = 'done' WHERE id = 'three'");
    driver.run("DELETE FROM memory WHERE id = 'two'");
    const after = members();
    driver.close();
    expect(after).toEqual([
      "one ann",
      "three ann",
      "waits one null",
      "waits gone cid",
      "waits three null",
      "waits two ann",
    ]);
  });

  test("K4: a job's folder becomes its board; a summary is of the project that its session's folder is, else of the host's name", () => {
    const path = workspace.path();
    const old = openBunDriver(path);
    old.exec(fixtureOf(26));
    const write = (sessionId: string, project: string) =>
      old.run(
        `INSERT INTO written_segment (session_id, generation, first_id, last_id, place, message_count,
           digest, root, project, kind, importance, texts, events, model, written_at_ms)
         VALUES (?, 0, 'msg_1', 'msg_2', 0, 2, 'd', 'r', ?, 'fix', 50, '{}', '[]', 'a/b', 1)`,
        ...[sessionId, project],
      );
    const { directory } =
      old.get("SELECT directory FROM epoch WHERE session_id = ?", session) ?? {};
    old.run(
      "INSERT INTO memory_project (id, name, worktree, seen_at_ms) VALUES ('commit:c0ffee~fork', 'api', ?, 2)",
      String(directory),
    );
    old.exec("INSERT INTO session (id, created_at_ms) VALUES ('ses_gone', 1)");
    write(session, "c0ffee");
    write("ses_gone", "c0ffee");
    old.run(
      `INSERT INTO job (kind, project, key, urgency, state, due_at_ms, input, created_at_ms)
       VALUES ('upkeep', '/work/api', 'a', 'waits', 'due', 1, '{}', 1)`,
    );
    old.close();
    const database = workspace.open(path);
    const driver = openBunDriver(path);
    const projects = () =>
      driver
        .all("SELECT project FROM written_segment ORDER BY session_id = 'ses_gone'")
        .map((row) => row.project);
    expect(projects()).toEqual(["commit:c0ffee~fork", "host:c0ffee"]);
    expect(driver.all("SELECT board, project FROM job WHERE kind = 'upkeep'")).toEqual([
      { board: "/work/api", project: null },
    ]);
    const store = database.store(projectStore);
    const shop = { id: commitId("c0ffee"), name: "api", worktree: "/work/elsewhere" };
    store.enter(shop, 3);
    store.takeOver("c0ffee" as HostProject, shop.id);
    expect(projects()).toEqual(["commit:c0ffee~fork", shop.id]);
    driver.close();
  });

  test("K4: the folder that each project was last at work in is known as its own", () => {
    const path = workspace.path();
    const old = openBunDriver(path);
    old.exec(fixtureOf(27));
    const enter = (id: string, worktree: string, seenAtMs: number) =>
      old.run(
        "INSERT INTO memory_project (id, name, worktree, seen_at_ms) VALUES (?, '', ?, ?)",
        ...[id, worktree, seenAtMs],
      );
    enter("commit:beef", "/work/twice", 5);
    enter("folder:/work/twice", "/work/twice", 4);
    enter("commit:d00d", "", 6);
    old.close();
    const store = workspace.open(path).store(projectStore);
    expect(store.knownAt("/work/twice")).toBe(commitId("beef"));
    expect(store.knownAt("")).toBeNull();
  });

  test("K4: the current schema is the one of its fixture: a released migration never changes", () => {
    expect(dumpOfSample()).toBe(fixtureOf(schema.version));
  });
});
