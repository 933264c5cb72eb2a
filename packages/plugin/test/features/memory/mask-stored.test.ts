import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CliCall } from "../../../src/feature-api/command.ts";
import { findLeaks, STORED_TEXT_KINDS } from "../../../src/features/memory/mask-stored.ts";
import { memoryCli } from "../../../src/features/memory/memory-cli.ts";
import { fingerprint } from "../../../src/features/memory/similar.ts";
import { createSqliteMemoryStore } from "../../../src/features/memory/sqlite-store.ts";
import { createLocalCopy } from "../../../src/features/team/local-copy.ts";
import type { ProjectId } from "../../../src/project/project.ts";
import type { Driver } from "../../../src/storage/driver.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { NOON_MS, Workspace } from "../../storage/workspace.ts";

const workspace = new Workspace();
/** In two pieces, so that this file holds none. */
const SECRET = ["hunter2", "horse99"].join("");
const SAID = `The API password is ${SECRET}.`;
const MASKED = "The API password is [secret].";
const project = "commit:abc" as ProjectId;

function filled(): { readonly driver: Driver; readonly folder: string } {
  const path = workspace.path();
  workspace.open(path);
  const driver = openBunDriver(path);
  driver.exec(`PRAGMA foreign_keys = ON;
    INSERT INTO memory_project (id, name, worktree, seen_at_ms) VALUES ('${project}', 'p', '/p', 0);
    INSERT INTO session (id, created_at_ms) VALUES ('ses_1', 0);`);
  return { driver, folder: dirname(path) };
}

function addMemory(driver: Driver, id: string, text: string): void {
  driver.run(
    `INSERT INTO memory (id, ref, project, category, text, digest, importance, permanence, state, by,
       written_at_ms, changed_at_ms, checked_at_ms)
     VALUES (?, ?, ?, 'NAMING', ?, ?, 50, 'ordinary', 'active', 'model', 1, 5, 1)`,
    ...[id, `m:${id}`, project, text, fingerprint(text).digest],
  );
}

/** One of each kind, as an earlier version may have left it. */
function addAll(driver: Driver): void {
  addMemory(driver, "one111", SAID);
  driver.run(
    `INSERT INTO note (id, ref, project, text, by, state, written_at_ms)
     VALUES ('n', 'n:note11', ?, ?, 'user', 'open', 1)`,
    ...[project, SAID],
  );
  driver.run(
    `INSERT INTO note (id, ref, project, text, condition, by, state, written_at_ms, checked_at_ms)
     VALUES ('s', 'n:smart1', ?, 'Look.', ?, 'model', 'waiting', 1, 1)`,
    ...[project, JSON.stringify({ kind: "asked", question: SAID })],
  );
  driver.run(
    "INSERT INTO user_profile (text, by, written_at_ms) VALUES (?, 'model', 1)",
    `I use it daily. ${SAID}`,
  );
  const texts = { full: SAID, short: "Short.", brief: "Brief.", line: "Line." };
  const events = [{ messageId: "msg_1", type: "decision", text: SAID }];
  driver.run(
    `INSERT INTO written_segment (session_id, generation, first_id, last_id, place, message_count,
       digest, root, project, kind, importance, texts, events, model, written_at_ms)
     VALUES ('ses_1', 0, 'msg_1', 'msg_2', 0, 2, 'd', 'msg_1', ?, 'work', 50, ?, ?, 'a/b', 1)`,
    ...[project, JSON.stringify(texts), JSON.stringify(events)],
  );
  driver.run(
    `INSERT INTO job (kind, board, key, urgency, state, due_at_ms, input, created_at_ms)
     VALUES ('historian', '/p', 'k', 'waits', 'settled', 1, ?, 1)`,
    JSON.stringify({ facts: [SAID] }),
  );
  driver.run(
    "INSERT INTO upkeep_run (project, directory, task, asked_by, begun_at_ms) VALUES (?, '/p', 'verify', 'shell', 1)",
    project,
  );
  driver.run(
    "INSERT INTO upkeep_change (run_id, state, before, ref) VALUES (1, 'done', ?, 'm:one111')",
    JSON.stringify([{ id: "x", text: SAID }]),
  );
}

function holding(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(SECRET));
}

async function check(driver: Driver, fix: boolean) {
  const given = new Map<string, string | boolean>([["do", "check"]]);
  if (fix) given.set("fix", true);
  const call = { given, driver, directory: "/p", env: {}, nowMs: NOON_MS } as unknown as CliCall;
  return memoryCli.run(call);
}

describe("secrets that were stored before the rules", () => {
  test("are found in each kind, shown masked, and nothing is changed without --fix", async () => {
    const { driver, folder } = filled();
    addAll(driver);
    expect(findLeaks(driver).map(({ kind }) => kind)).toEqual([...STORED_TEXT_KINDS]);
    const { text, values } = await check(driver, false);
    expect(text).toContain("token in 7 texts");
    expect(text).toContain(`- memory m:one111: ${MASKED}`);
    expect(text).toContain("- segment ses_1: ");
    expect(text).toContain("memory check --fix");
    expect(JSON.stringify([text, values])).not.toContain(SECRET);
    expect(findLeaks(driver)).toHaveLength(STORED_TEXT_KINDS.length);
    expect(holding(folder)).not.toEqual([]);
    driver.close();
  });

  test("are found in JSON of any shape; a field that is empty holds none", () => {
    const { driver } = filled();
    const input = { none: null, count: 1, deep: [{ list: [true, SAID] }], [SECRET]: "a name" };
    driver.run(
      `INSERT INTO job (kind, board, key, urgency, state, due_at_ms, input, created_at_ms)
       VALUES ('historian', '/p', 'j', 'waits', 'settled', 1, ?, 1)`,
      JSON.stringify(input),
    );
    const [leak] = findLeaks(driver);
    expect(leak?.kind).toBe("job");
    expect([...(leak?.masked.keys() ?? [])]).toEqual(["input"]);
    expect(JSON.parse(leak?.masked.get("input") ?? "")).toEqual({
      ...input,
      deep: [{ list: [true, MASKED] }],
    });
    driver.close();
  });

  test("are shown with some words around the first of them, and a mark where more stands", () => {
    const { driver } = filled();
    const said = (before: string, after: string) => {
      addMemory(driver, "one111", `${before}${SAID}${after}`);
      const [leak] = findLeaks(driver);
      driver.run("DELETE FROM memory");
      return leak?.preview ?? "";
    };
    expect(said("See: ", "")).toBe(`See: ${MASKED}`);
    const preview = said("b ".repeat(40), " a".repeat(40));
    expect(preview).toMatch(/^…(?:b )+.*\[secret\].*(?: a)+…$/);
    expect(preview.length).toBeLessThanOrEqual(50 + "[secret]".length + 30 + 2);
    driver.close();
  });

  test("--fix masks them, in the file and in its write-ahead log; what else stands there stays", async () => {
    const { driver, folder } = filled();
    addAll(driver);
    const harmless = "The docs are at https://example.com/a?page=2#top.";
    addMemory(driver, "two222", harmless);
    const { text, values } = await check(driver, true);
    expect(text).toContain("Masked what looked like a secret in 7 texts");
    expect(values).toMatchObject({ masked: 7 });
    expect(JSON.stringify([text, values])).not.toContain(SECRET);
    expect(holding(folder)).toEqual([]);
    const all = (sql: string) => driver.all(sql).map(({ one }) => String(one));
    expect(all("SELECT text AS one FROM memory ORDER BY id")).toEqual([MASKED, harmless]);
    expect(all("SELECT text AS one FROM note WHERE condition IS NULL")).toEqual([MASKED]);
    expect(all("SELECT text AS one FROM user_profile")).toEqual([`I use it daily. ${MASKED}`]);
    const question = { kind: "asked", question: MASKED };
    const conditions = all("SELECT condition AS one FROM note WHERE condition IS NOT NULL");
    expect(conditions.map((one) => JSON.parse(one))).toEqual([question]);
    expect(all("SELECT texts AS one FROM written_segment").map((one) => JSON.parse(one))).toEqual([
      { full: MASKED, short: "Short.", brief: "Brief.", line: "Line." },
    ]);
    expect(all("SELECT events AS one FROM written_segment").join()).toContain(MASKED);
    expect(driver.all("SELECT state, input FROM job")).toEqual([
      { state: "settled", input: JSON.stringify({ facts: [MASKED] }) },
    ]);
    expect(all("SELECT before AS one FROM upkeep_change").join()).toContain(MASKED);
    expect(await check(driver, true)).toMatchObject({ values: { found: [], masked: 0 } });
    driver.close();
  });

  test("a masked memory is known by its new words, is newer, and one of two that say the same stands for both", async () => {
    const { driver } = filled();
    addMemory(driver, "one111", SAID);
    addMemory(driver, "two222", `The API password is ${["correct7", "Battery!"].join("")}.`);
    await check(driver, true);
    const rows = driver.all(
      "SELECT id, text, state, superseded_by, changed_at_ms FROM memory ORDER BY id",
    );
    expect(rows).toMatchObject([
      { id: "one111", text: MASKED, state: "active", changed_at_ms: NOON_MS },
      { id: "two222", text: MASKED, state: "superseded", superseded_by: "one111" },
    ]);
    const wording = { category: "NAMING", importance: 50, permanence: "ordinary" } as const;
    const by = { by: "user", sessionId: null, segment: null, nowMs: NOON_MS } as const;
    const change = { kind: "add", wording: { ...wording, text: MASKED } } as const;
    const [outcome] = await createSqliteMemoryStore(driver).apply(project, [change], by);
    expect(outcome).toMatchObject({ kind: "known", memory: { id: "one111" } });
    driver.close();
  });

  test("what a team shares goes to its store masked", async () => {
    const { driver } = filled();
    const copy = createLocalCopy(driver);
    copy.share(project);
    addAll(driver);
    copy.sent(copy.batch(project, 10).rows);
    expect(copy.waiting()).toBe(0);
    await check(driver, true);
    const items = copy.batch(project, 10).changes.map(({ item }) => item);
    expect(items.map(({ kind }) => kind).toSorted()).toEqual(["memory", "note"]);
    expect(JSON.stringify(items)).not.toContain(SECRET);
    expect(JSON.stringify(items)).toContain(MASKED);
    driver.close();
  });

  test("where there is none, that is said, and nothing is written", async () => {
    const { driver } = filled();
    addMemory(driver, "one111", "Tables are singular.");
    const version = () => driver.get("PRAGMA data_version");
    const before = version();
    expect((await check(driver, true)).text).toStartWith(
      "No stored text holds what looks like a password",
    );
    expect(version()).toEqual(before);
    driver.close();
  });
});
