import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRewriteStore } from "@session-runtime/opencode/features/history/rewrite-store";
import { toFolderId } from "@session-runtime/opencode/project/project";
import { createDatabase } from "@session-runtime/opencode/storage/database";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import { openBunDriver } from "@session-runtime/opencode/storage/driver-bun";
import { createJobStore } from "@session-runtime/opencode/storage/job-store";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { readSessionRows } from "@session-runtime/opencode/storage/session-rows";
import { rewriteRecord } from "../../../plugin/test/features/history/records.ts";
import { schema } from "../../../plugin/test/schema.ts";
import { entryRecord } from "../../../plugin/test/storage/records.ts";
import { loadCatalogue } from "../../src/catalogue.ts";
import { writeSessionFile } from "../../src/transfer/file-format.ts";
import { type DataFolder, DataFolders, first, second, storeSession } from "./data-folder.ts";
import { makeHostTables } from "./host-tables.ts";

const CATALOGUE = await loadCatalogue();

setDefaultTimeout(600_000);
const folders = new DataFolders();

/** Sets the terminal's title, clears the screen, colours, and turns the direction of writing. */
const EVIL = "x\x1b]0;owned\x07\x1b[2J\x1b[31m\x7f\x9b1A\u202eend\u2066";

/** Text columns of the schema that no CHECK and no codec binds to a form. */
const TEXTS = [
  ["epoch", "directory"],
  ["epoch", "worktree"],
  ["turn", "agent"],
  ["turn", "provider_id"],
  ["turn", "model_id"],
  ["turn", "bust"],
  ["entry_form", "model_id"],
  ["rewrite", "first_message_id"],
] as const;

/** JSON columns, whose strings all end in it. */
const JSON_TEXTS = [
  ["epoch", "baseline"],
  ["entry", "edit"],
  ["entry", "announced"],
  ["brief", "text"],
  ["brief", "essentials"],
] as const;

/** Two sessions in whose every text a terminal's sequences stand, with the host's own rows. */
function hostile(): DataFolder {
  const folder = folders.make();
  const database = folder.open();
  storeSession(database, first, Date.now() - 3_600_000);
  storeSession(database, second, Date.now() - 7_200_000);
  const driver = openBunDriver(folder.path);
  storeMemories(driver, folder);
  storeFailedJob(driver, folder);
  storeProfileAndUpkeep(driver, folder);
  storeFold(driver);
  for (const { name } of driver.all("SELECT name FROM sqlite_schema WHERE type = 'trigger'")) {
    driver.exec(`DROP TRIGGER ${String(name)}`);
  }
  for (const [table, column] of TEXTS) {
    driver.run(`UPDATE ${table} SET ${column} = ${column} || ?`, EVIL);
  }
  for (const [table, column] of JSON_TEXTS) {
    for (const row of driver.all(
      `SELECT rowid, ${column} AS json FROM ${table} WHERE ${column} IS NOT NULL`,
    )) {
      const evil = JSON.stringify(spoiled(JSON.parse(String(row.json))));
      driver.run(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`, evil, Number(row.rowid));
    }
  }
  // Whoever writes such a database leaves no checksum that tells on it.
  for (const table of ["epoch", "entry", "prepared_edit", "brief"]) {
    driver.exec(`UPDATE ${table} SET checksum = NULL`);
  }
  driver.close();
  storeHostRows(folder);
  return folder;
}

/** A job of the folder that commands run in. */
function storeFailedJob(driver: Driver, folder: DataFolder): void {
  const jobs = createJobStore(driver);
  const work = {
    kind: `kind ${EVIL}`,
    key: "one",
    urgency: "waits",
    input: {},
    subject: null,
  } as const;
  const worker = realpathSync(folder.home);
  const id =
    jobs.add({ ...work, board: worker, project: toFolderId(worker), sessionId: first }, 1) ?? 0;
  jobs.take(id, { owner: "one", nowMs: 1, expiresAtMs: 2 }, () => false);
  const failure = { error: EVIL, model: EVIL, retryAtMs: null, inputTokens: 1, outputTokens: 1 };
  jobs.fail(id, "one", failure);
}

/** Of the folder that commands run in, and of another one that shares with it. */
function storeMemories(driver: Driver, folder: DataFolder): void {
  const place = realpathSync(folder.home);
  driver.exec("INSERT INTO memory_workspace VALUES ('team', 1)");
  const projects = [
    [`folder:${place}`, place, 2],
    ["folder:/other", "/other", 1],
  ] as const;
  for (const [id, worktree, seenAtMs] of projects) {
    driver.run(
      `INSERT INTO memory_project (id, name, worktree, workspace, shares, seen_at_ms)
       VALUES (?, ?, ?, 'team', 'NAMING', ?)`,
      ...[id, `name ${EVIL}`, worktree, seenAtMs],
    );
    driver.run(
      `INSERT INTO memory (id, ref, project, category, text, digest, importance, permanence, state,
         by, session_id, written_at_ms, changed_at_ms, checked_at_ms)
       VALUES (?, ?, ?, 'NAMING', ?, 'd', 50, 'ordinary', 'active', 'model', ?, 1, 1, 1)`,
      ...[id, id === "folder:/other" ? "m:000002" : "m:000001", id, `text ${EVIL}`, EVIL],
    );
    driver.run(
      "INSERT INTO note VALUES (?, ?, ?, NULL, ?, 'user', NULL, 'open', 1, 0, NULL, NULL)",
      ...[id, `n:${id}`, id, `note ${EVIL}`],
    );
  }
}

/** A note on the user, and a run of upkeep in the folder that commands run in, with what it did and refused. */
function storeProfileAndUpkeep(driver: Driver, folder: DataFolder): void {
  const place = realpathSync(folder.home);
  driver.run("INSERT INTO user_profile VALUES (1, ?, 'model', 1)", `text ${EVIL}`);
  driver.run(
    `INSERT INTO upkeep_run VALUES (1, ?, ?, 'docs', '[]', 'shell', ?, NULL, 1, ?, ?, 1, 2, ?, NULL)`,
    ...[`folder:${place}`, place, EVIL, `model ${EVIL}`, `patch ${EVIL}`, EVIL],
  );
  const proposals = [
    { kind: "document", path: EVIL, find: EVIL, replace: EVIL, why: EVIL },
    { kind: "rewrite", id: "m", text: EVIL, why: EVIL },
  ];
  for (const [index, proposal] of proposals.entries()) {
    for (const state of ["done", "refused"]) {
      const id = 2 * index + (state === "done" ? 1 : 2);
      driver.run(
        "INSERT INTO upkeep_change VALUES (?, 1, ?, ?, '[]', ?, ?, NULL, NULL, NULL)",
        ...[id, state, JSON.stringify(proposal), EVIL, `m:${EVIL}`],
      );
    }
  }
}

/** A fold whose text is a terminal's sequences, in the epoch of the newest call, and a drop. */
function storeFold(driver: Driver): void {
  const { ledger } = createDatabase(driver, "in memory");
  const { epochs } = ledger.load(first);
  const seq = ledger.headSeq(first) + 1;
  const epochSeq = epochs.at(-1)?.seq ?? 1;
  const text = `<session-history>\n${EVIL}\n\n[h:abc123 · 2 messages · fix]\n${EVIL}\n</session-history>`;
  const fold = { verb: "fold", first: "msg_1", last: `m${EVIL}`, text } as const;
  const drop = { verb: "replace", at: { messageId: "m", partId: "p" }, text: `[${EVIL}]` } as const;
  ledger.commit({
    ...{ sessionId: first, expectedSeq: seq - 1, epoch: null },
    entries: [fold, drop].map((edit, index) => ({
      ...{ ...entryRecord(seq + index, epochSeq, first), announced: [], delta: {} },
      ...{ origin: "history", edit, endMessageId: edit.verb === "fold" ? edit.last : null },
    })),
  });
  const rewrite = rewriteRecord(seq, { sessionId: first, epochSeq, folds: 1 });
  createRewriteStore(driver).append(rewrite);
}

function spoiled(value: unknown): unknown {
  if (typeof value === "string")
    return ["insert", "fold", "replace", "msg_2"].includes(value) ? value : value + EVIL;
  if (Array.isArray(value)) return value.map(spoiled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      // A key has a form, which `show` checks as it decodes the ledger.
      name === "key" ? field : spoiled(field),
    ]),
  );
}

function storeHostRows(folder: DataFolder): void {
  const driver = makeHostTables(folder.home);
  driver.run(
    "INSERT INTO session VALUES (?, ?, NULL, ?, 'global', 1)",
    ...[first, `title ${EVIL}`, `/there${EVIL}`],
  );
  const message = JSON.stringify({ role: `user${EVIL}` });
  driver.run("INSERT INTO message VALUES ('msg_1', ?, ?)", first, message);
  const part = JSON.stringify({ type: "text", text: `label ${EVIL}` });
  driver.run("INSERT INTO part VALUES ('prt_1', 'msg_1', ?, ?)", first, part);
  // One that ran before the plugin was there.
  driver.run(
    "INSERT INTO session VALUES ('ses_past', ?, NULL, ?, 'global', 1)",
    ...[`title ${EVIL}`, `/there${EVIL}`],
  );
  const by = { providerID: `provider${EVIL}`, modelID: `model${EVIL}` };
  const tokens = { input: 900, output: 9, cache: { read: 0, write: 0 } };
  const answer = JSON.stringify({ role: "assistant", ...by, tokens });
  driver.run("INSERT INTO message VALUES ('msg_2', 'ses_past', ?)", answer);
  driver.run("INSERT INTO part VALUES ('prt_2', 'msg_2', 'ses_past', ?)", part);
  driver.close();
}

/** Everything that acts on a terminal or hides what a text is, but for ends of lines. */
const ACTING = /[^\P{Cc}\n]|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
/** The colours of the command line. */
const OWN_STYLE = new RegExp(`${"\x1b"}\\[(1|2|22|31|32|33|36|39)m`, "g");

/** Every command on the data, in each of its ways. */
const RUNS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  status: [[first], ["none"]],
  sessions: [[]],
  show: [[first], [first, "--wire"], [first, "--wire", "--call", "2", "--texts"]],
  timeline: [[first]],
  estimate: [
    ["--session", "ses_past"],
    ["--session", `none${EVIL}`],
  ],
  index: [[], ["--here"]],
  search: [["label"], ["label", "--session", `none${EVIL}`]],
  memory: [
    ...[[], ["list", "--all"], ["show", "m:000001"], ["export"], ["add", `text ${EVIL}`]],
    ["edit", "m:000001", "--category", `none${EVIL}`],
    ...[["import", `none${EVIL}`], [`none${EVIL}`]],
  ],
  workspace: [
    ...[[], ["leave"], ["join", `none${EVIL}`], ["create", `none${EVIL}`], [`none${EVIL}`]],
  ],
  history: [[first], ["none"]],
  files: [[]],
  profile: [[], ["add", `text ${EVIL}`], ["forget", `none${EVIL}`], [`none${EVIL}`]],
  upkeep: [[], ["show", "1"], ["show", "none"], ["undo", `none${EVIL}`], [`none${EVIL}`]],
  jobs: [[], ["retry", "9"], ["stop", `none${EVIL}`], [`none${EVIL}`]],
  resummarize: [[], ["none"]],
  migrate: [[], ["--from", `none${EVIL}`]],
  prune: [
    ["--max-size", "1MB"],
    ["--older-than", "1h"],
  ],
  export: [["ses_none"], [first, "--out", `none${EVIL}/there`]],
  import: [[`none${EVIL}`], ["evil.jsonl"]],
};

/** The first way: without colours all texts come by the same functions. */
function one(ways: readonly (readonly string[])[]): readonly string[] {
  const [first] = ways;
  if (first === undefined) throw new Error("a command has a way at least");
  return first;
}

/** What can only be refused; the refusal quotes it. */
const FAILS = /none|evil|^retry 9/;

describe("a hostile database acts on no terminal", () => {
  test("every command that reads data is tried here", () => {
    const names = CATALOGUE.filter(({ needs }) => needs === "sqlite").map(({ name }) => name);
    expect(Object.keys(RUNS).sort()).toEqual(names.toSorted());
  });

  for (const [name, ways] of Object.entries(RUNS)) {
    test(`${name}: text, coloured text and JSON`, async () => {
      const folder = hostile();
      writeFileSync(join(folder.home, "evil.jsonl"), `{"format":"${EVIL}"}\n`);
      if (name === "search") await folder.run(["index"]);
      // Of each command one run is of the process that users have.
      const plain = await folder.runAsProcess([name, ...one(ways)]);
      expect(plain.out + plain.err).not.toMatch(ACTING);
      for (const words of ways) {
        const colour = await folder.run([name, ...words], { FORCE_COLOR: "1" });
        expect(colour.exitCode === 0).toBe(!FAILS.test(words.join(" ")));
        const undressed = (colour.out + colour.err).replace(OWN_STYLE, "");
        expect(undressed).not.toMatch(ACTING);
        // Results are never red: what would be a colour of ours is shown where it was stored.
        expect(colour.out).not.toContain("\x1b[31m");
        const json = await folder.run([name, ...words, "--json"]);
        expect(json.out).not.toMatch(ACTING);
        JSON.parse(json.out);
      }
    });
  }

  test("what stood there can be read: the sequence is shown, and JSON keeps the value", async () => {
    const folder = hostile();
    const { out } = await folder.run(["sessions"]);
    expect(out).toContain(
      String.raw`title x\x1b]0;owned\x07\x1b[2J\x1b[31m\x7f\x9b1A\u202eend\u2066`,
    );
    const { sessions } = JSON.parse((await folder.run(["sessions", "--json"])).out);
    expect(sessions[0].title).toBe(`title ${EVIL}`);
  });

  test("the pages show it as well", async () => {
    const folder = hostile();
    const { exitCode } = await folder.runAsProcess(["timeline", first, "--html", "page.html"]);
    expect(exitCode).toBe(0);
    const page = await Bun.file(join(folder.home, "page.html")).text();
    expect(page.slice(0, page.indexOf("<script>"))).not.toMatch(ACTING);
    const words = ["estimate", "--session", "ses_past", "--html", "estimate.html"];
    expect((await folder.run(words)).exitCode).toBe(0);
    expect(await Bun.file(join(folder.home, "estimate.html")).text()).not.toMatch(ACTING);
  });
});

describe("session ids are checked wherever they come from", () => {
  const escaping = "../../ses_x" as SessionId;

  test("an import of a session whose id is a path is refused, and nothing is written", async () => {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now());
    const driver = openBunDriver(folder.path);
    const rows = readSessionRows(driver, schema, first).map(({ table, row }) => ({
      table,
      row: { ...row, [table === "session" ? "id" : "session_id"]: escaping },
    }));
    const about = { schemaVersion: schema.version, sessionId: escaping, exportedAtMs: 1 };
    writeFileSync(join(folder.home, "in.jsonl"), writeSessionFile(rows, about));
    const { err, exitCode } = await folder.run(["import", "in.jsonl"]);
    expect(exitCode).toBe(1);
    expect(err).toContain("its first line names no session");
    expect(driver.all("SELECT id FROM session").map(({ id }) => id)).toEqual([first]);
    driver.close();
  });

  test("a session in the database whose id is a path is neither exported nor migrated", async () => {
    const folder = folders.make();
    storeSession(folder.open(), escaping, Date.now());
    for (const words of [["export"], ["export", escaping], ["export", "x"]]) {
      const { exitCode } = await folder.run(words);
      expect(exitCode).toBe(4);
    }
    expect(existsSync(join(folder.home, `${escaping}.jsonl`))).toBe(false);
    expect(readdirSync(folder.home).filter((name) => name.endsWith(".jsonl"))).toEqual([]);
    const target = folders.make();
    const { out } = await target.run(["migrate", "--from", folder.path]);
    expect(out).toContain("Copied 0 sessions from");
    expect(out).toContain("Left out, because their ids are not session ids: 1.");
  });
});
