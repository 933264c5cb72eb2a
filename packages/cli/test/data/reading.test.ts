import { describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { selectInboxStores } from "@session-runtime/opencode/features/inbox/inbox-deps";
import { readStatus } from "@session-runtime/opencode/status/model";
import { renderStatus } from "@session-runtime/opencode/status/render";
import { gatherStoredState } from "@session-runtime/opencode/status/report";
import { openBunDriver } from "@session-runtime/opencode/storage/driver-bun";
import { listSessions } from "@session-runtime/opencode/storage/session-list";
import { inputRecord } from "../../../plugin/test/features/inbox/records.ts";
import { schema } from "../../../plugin/test/schema.ts";
import { epochRecord } from "../../../plugin/test/storage/records.ts";
import { renderSessions } from "../../src/commands/sessions.ts";
import { styleFor } from "../../src/terminal/style.ts";
import { DataFolders, first, second, storeSession } from "./data-folder.ts";

setDefaultTimeout(600_000);
const folders = new DataFolders();
const HOUR_MS = 3_600_000;

test("a command's former name runs it, says the new one on standard error, and is in no help", async () => {
  const folder = folders.make();
  folder.open();
  const former = await folder.run(["recomp"]);
  const present = await folder.run(["resummarize"]);
  expect([present.exitCode, present.err]).toEqual([0, ""]);
  const notice = '"recomp" is now called "resummarize"; the old name works in this version only.';
  expect(former.err.replaceAll(/\s+/g, " ").trim()).toBe(notice);
  expect(former).toEqual({ ...present, err: former.err });
  expect((await folder.run(["--help"])).out).not.toContain("recomp ");
});

describe("status", () => {
  test("is the read model of /ctx-status, without what the running session has these", async () => {
    const folder = folders.make();
    const database = folder.open();
    storeSession(database, first, Date.now() - HOUR_MS);
    const { out, err, exitCode } = await folder.runUnderNode(["status", first, "--json"]);
    expect({ err, exitCode }).toEqual({ err: "", exitCode: 0 });
    const shown = JSON.parse(out);
    const asked = { sessionId: first, nowMs: 0, shown: null };
    const stored = gatherStoredState(() => database, asked, []);
    const expected = readStatus({ sessionId: first, nowMs: shown.atMs, stored }, null);
    expect(shown).toEqual(JSON.parse(JSON.stringify(expected)));
    expect(shown).toMatchObject({ ground: "database", log: null, epoch: { number: 2 } });
  });

  test("finds a session whose first call never ended by its folder, and says that none has", async () => {
    const folder = folders.make();
    const input = { ...inputRecord("one", "steer", first), directory: folder.home };
    const database = folder.open();
    selectInboxStores(database).inbox.admit(input);
    const broken = await folder.run(["status"]);
    expect({ err: broken.err, exitCode: broken.exitCode }).toEqual({ err: "", exitCode: 0 });
    expect(broken.out).toContain(first);
    const base = epochRecord(1, first);
    const epoch = { ...base, location: { ...base.location, directory: folder.home } };
    database.ledger.commit({ sessionId: first, expectedSeq: 0, epoch, entries: [] });
    expect((await folder.run(["status"])).out).toContain("Prompt cache: no call has ended yet");
  });

  test("prints the report of /ctx-status, and says what is not known", async () => {
    const folder = folders.make();
    const database = folder.open();
    storeSession(database, first, Date.now() - HOUR_MS);
    const { out } = await folder.run(["status", first]);
    const asked = { sessionId: first, nowMs: 0, shown: null };
    const stored = gatherStoredState(() => database, asked, []);
    const status = readStatus({ sessionId: first, nowMs: Date.now(), stored }, null);
    expect(out.trimEnd()).toBe(renderStatus(status));
    expect(out).toContain("the running session has these");
  });

  test("without a word is of the newest session of this folder, and of no other folder's", async () => {
    const folder = folders.make();
    const { ledger } = folder.open();
    storeSession(folder.open(), second, Date.now() - HOUR_MS);
    for (const words of [["status"], ["show"], ["timeline"], ["export"], ["status", "--watch"]]) {
      const { out, err, exitCode } = await folder.run(words);
      expect({ words, out, exitCode }).toEqual({ words, out: "", exitCode: 4 });
      expect(err).toContain(`No session has worked in ${folder.home} yet.`);
      expect(err).toContain("The newest sessions of other folders:");
      expect(err).toMatch(new RegExp(` ${words[0]} ${second}   no title, in /project/app, `));
    }
    const location = { directory: folder.home, worktree: folder.home };
    const epoch = { ...epochRecord(1, first), location };
    ledger.commit({ sessionId: first, expectedSeq: 0, epoch, entries: [] });
    expect(JSON.parse((await folder.run(["status", "--json"])).out).sessionId).toBe(first);
  });

  test("takes the beginning or end of an id, and refuses what means two", async () => {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now() - HOUR_MS);
    storeSession(folder.open(), second, Date.now() - HOUR_MS);
    expect(JSON.parse((await folder.run(["status", "fir", "--json"])).out).sessionId).toBe(first);
    expect(JSON.parse((await folder.run(["status", "cond", "--json"])).out).sessionId).toBe(second);
    const { err, exitCode } = await folder.run(["status", "ses_"]);
    expect(exitCode).toBe(2);
    expect(err).toContain("matches 2 sessions");
  });

  test("leaves nothing behind: the folder holds what it held", async () => {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now());
    const before = readdirSync(join(folder.path, ".."));
    await folder.run(["status", first]);
    expect(readdirSync(join(folder.path, ".."))).toEqual(before);
  });
});

describe("sessions", () => {
  test("lists them, most recently active first, with what they cost", async () => {
    const folder = folders.make();
    const nowMs = Date.now();
    storeSession(folder.open(), first, nowMs - 2 * HOUR_MS);
    storeSession(folder.open(), second, nowMs - HOUR_MS);
    const { sessions, total } = JSON.parse((await folder.run(["sessions", "--json"])).out);
    expect(total).toBe(2);
    expect(sessions.map(({ sessionId }: { sessionId: string }) => sessionId)).toEqual([
      second,
      first,
    ]);
    expect(sessions[0]).toMatchObject({
      calls: 3,
      epochs: 2,
      busts: 1,
      directory: "/project/app",
      title: null,
      usage: { inputTokens: 24, outputTokens: 68, cacheReadTokens: 11_200, cacheWriteTokens: 156 },
    });
    const { out } = await folder.run(["sessions", "--limit", "1"]);
    expect(out).toContain(second);
    expect(out).toContain("1 more");
    expect(out).not.toContain(first);
    const [titles = "", , newest = ""] = out.split("\n");
    const cells = (line: string) => line.trim().split(/\s{2,}/);
    const cell = (title: string) => cells(newest)[cells(titles).indexOf(title)];
    // It has two epochs: the first is no new one.
    expect({ busts: cell("busts"), epochs: cell("new epochs") }).toEqual({
      busts: "1",
      epochs: "1",
    });
    expect((await folder.run(["sessions", "--here"])).out).toContain("No sessions yet");
  });

  test("of another host say so in the list, in status and in timeline", async () => {
    const folder = folders.make();
    const database = folder.open();
    storeSession(database, first, Date.now() - HOUR_MS);
    storeSession(database, second, Date.now());
    database.sessions.claim(second, "pi", Date.now());
    const { out } = await folder.run(["sessions"]);
    const rows = out.split("\n");
    expect(rows.find((row) => row.startsWith(second))).toContain("pi, /");
    expect(rows.find((row) => row.startsWith(first))).not.toContain("pi, /");
    expect((await folder.run(["status", second])).out).toContain(`Session Runtime: ${second} (pi)`);
    expect((await folder.run(["timeline", second])).out).toContain(`${second}, pi`);
  });

  test("in a terminal of 80 columns, names stand below the figures, and the id's end names a session", () => {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now() - 2 * HOUR_MS);
    const driver = openBunDriver(folder.path);
    const lines = listSessions(driver);
    driver.close();
    const out = { isTTY: true, write: () => undefined };
    const titles = new Map([
      [String(first), "A title that is longer than the terminal is wide ".repeat(3)],
    ]);
    const at = (columns: number) =>
      renderSessions(lines, 1, titles, { out, style: styleFor({}, {}), columns }).split("\n");
    const narrow = at(80);
    expect(Math.max(...narrow.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(narrow[2]).toStartWith(`…${first.slice(-12)}  `);
    expect(narrow[3]).toStartWith("  A title that");
    const wide = at(160);
    expect(wide).toHaveLength(3);
    expect(wide[2]).toStartWith(first);
    expect(Math.max(...wide.map((line) => line.length))).toBeLessThanOrEqual(160);
  });
});

describe("a database that can't be read", () => {
  async function refused(words: readonly string[], folder = folders.make()) {
    const { out, exitCode } = await folder.run([...words, "--json"]);
    return { ...JSON.parse(out).error, exitCode };
  }

  test("that is missing ends with 4, says where it was looked for, and is not made", async () => {
    const folder = folders.make();
    const error = await refused(["status"], folder);
    expect(error).toMatchObject({ code: "database-missing", exitCode: 4 });
    expect(error.message).toContain(folder.path);
    expect(existsSync(folder.path)).toBe(false);
  });

  test("of a development version names migrate, and is left as it is", async () => {
    const folder = folders.make();
    folder.makeDevelopment();
    for (const words of [["status"], ["sessions"], ["memory", "add", "x"]]) {
      const error = await refused(words, folder);
      expect(error).toMatchObject({ code: "database-development-schema", exitCode: 1 });
      expect(error.advice).toMatch(/session-runtime\.js migrate` moves it aside/);
    }
    expect(openBunDriver(folder.path).get("PRAGMA user_version")?.user_version).toBe(31);
  });

  test("of a newer schema says to update this command", async () => {
    const folder = folders.make();
    folder.open().close();
    openBunDriver(folder.path).exec(`PRAGMA user_version = ${schema.version + 1}`);
    const error = await refused(["sessions"], folder);
    expect(error.code).toBe("database-newer-schema");
    expect(error.advice).toContain("session-runtime@latest");
  });

  test("that is damaged names the doctor, and is left as it is", async () => {
    const folder = folders.make();
    writeFileSync(folder.path, "This is no database. ".repeat(400));
    const error = await refused(["status"], folder);
    expect(error.code).toBe("database-corrupt");
    expect(error.advice).toMatch(/session-runtime\.js doctor`/);
    expect(readdirSync(join(folder.path, ".."))).toEqual(["runtime.db"]);
  });

  test("that is damaged is found by doctor, with a cause that is not the finding again", async () => {
    const folder = folders.make();
    writeFileSync(folder.path, "This is no database. ".repeat(400));
    const { findings } = JSON.parse(
      (await folder.runUnderNode(["doctor", "--json", "--no-live"])).out,
    );
    const damaged = findings.find(({ code }: { code: string }) => code === "database-damaged");
    expect(damaged.cause).toBe("SQLite can't read it as a database.");
  });

  test("that is damaged in what a session holds ends with 1 as well, in each command", async () => {
    const folder = folders.make();
    const database = folder.open();
    storeSession(database, first, Date.now());
    database.close();
    const driver = openBunDriver(folder.path);
    const rootpages = driver.all(
      "SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'entry' AND rootpage > 0",
    );
    const bytesPerPage = Number(driver.get("PRAGMA page_size")?.page_size);
    driver.exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
    driver.close();
    const file = openSync(folder.path, "r+");
    for (const { rootpage } of rootpages) {
      writeSync(
        file,
        new Uint8Array(bytesPerPage),
        0,
        bytesPerPage,
        (Number(rootpage) - 1) * bytesPerPage,
      );
    }
    closeSync(file);
    for (const command of ["status", "show", "timeline", "export"]) {
      const { out, exitCode } = await folder.run([command, first, "--json"]);
      expect({ command, exitCode, code: JSON.parse(out).error.code }).toEqual({
        command,
        exitCode: 1,
        code: "database-corrupt",
      });
    }
    const { out, err, exitCode } = await folder.run(["status", first]);
    expect({ out, exitCode }).toEqual({ out: "", exitCode: 1 });
    expect(err.split("is damaged")).toHaveLength(2);
  });

  test("that another process has to itself is told as locked, after a moment's wait", async () => {
    const folder = folders.make();
    folder.open().close();
    const other = openBunDriver(folder.path);
    other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; DELETE FROM session; COMMIT");
    const error = await refused(["status"], folder);
    other.close();
    expect(error).toMatchObject({ code: "database-locked", exitCode: 1 });
    expect(error.advice).toContain("end the process that holds it");
  });

  test("that holds nothing yet says so, and so does a session that is not there", async () => {
    const folder = folders.make();
    const database = folder.open();
    expect(await refused(["status"], folder)).toMatchObject({ code: "no-sessions", exitCode: 4 });
    storeSession(database, first, Date.now());
    expect(await refused(["status", "ses_other"], folder)).toMatchObject({
      code: "session-missing",
      exitCode: 4,
    });
  });
});

describe("where the database is", () => {
  test("--db, then storage.path of the user's config, then SESSION_RUNTIME_DB", async () => {
    const folder = folders.make();
    const config = join(folder.home, ".config/opencode");
    mkdirSync(config, { recursive: true });
    const placeWith = async (words: readonly string[], env: Record<string, string>) => {
      const { out } = await folder.run(["status", ...words, "--json"], env);
      return JSON.parse(out).error.message;
    };
    const env = { SESSION_RUNTIME_DB: "/nowhere/variable.db" };
    expect(await placeWith([], env)).toContain("/nowhere/variable.db");
    writeFileSync(
      join(config, "session-runtime.jsonc"),
      '{ // mine\n "storage": { "path": "~/mine.db" }, }',
    );
    expect(await placeWith([], env)).toContain(join(folder.home, "mine.db"));
    writeFileSync(
      join(config, "opencode.json"),
      '{ "plugin": [["@session-runtime/opencode@1.0.0", { "storage": { "path": "/opt/o.db" } }]] }',
    );
    expect(await placeWith([], env)).toContain("/opt/o.db");
    expect(await placeWith(["--db", "given.db"], env)).toContain(join(folder.home, "given.db"));
  });
});

describe("a Node without SQLite", () => {
  test("with neither OpenCode nor Bun says what to install", async () => {
    const folder = folders.make();
    const node = join(folder.home, "bin");
    mkdirSync(node);
    const real = Bun.which("node") ?? "node";
    writeFileSync(join(node, "node"), `#!/bin/sh\nexec ${real} "$@"\n`);
    chmodSync(join(node, "node"), 0o755);
    const env = { OPENCODE_BIN: "/nowhere/opencode", PATH: node };
    const hasOwn = Bun.spawnSync([
      real,
      "-p",
      "process.getBuiltinModule?.('node:sqlite') !== undefined",
    ]);
    const { err, exitCode } = await folder.runUnderNode(["status"], env);
    if (hasOwn.stdout.toString().trim() === "true") {
      expect(err).toContain("There is no database");
      return;
    }
    expect(exitCode).toBe(4);
    expect(err).toContain("neither OpenCode nor Bun was found");
    expect(err).toContain("Node 22.13");
  });

  test("runs by OpenCode without taking the project's .env or bunfig", async () => {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now());
    writeFileSync(join(folder.home, ".env"), "SESSION_RUNTIME_DB=/nowhere/from-env.db\n");
    writeFileSync(join(folder.home, "bunfig.toml"), 'preload = ["./preload.js"]\n');
    writeFileSync(join(folder.home, "preload.js"), 'throw new Error("preloaded");\n');
    const { err, exitCode } = await folder.runUnderNode(["status", first]);
    expect({ err, exitCode }).toEqual({ err: "", exitCode: 0 });
  });
});

test("a feature's word that is misused is a mistake of usage, as any other command's", async () => {
  const folder = folders.make();
  folder.open();
  const { out, err, exitCode } = await folder.run(["jobs", "retry"]);
  expect({ out, exitCode }).toEqual({ out: "", exitCode: 2 });
  expect(err).toMatch(
    /^error: Give the number of a job\.\n .* jobs --help lists what it takes\.\n$/,
  );
  const asJson = await folder.run(["jobs", "retry", "--json"]);
  expect({ ...JSON.parse(asJson.out), exitCode: asJson.exitCode }).toMatchObject({
    error: { code: "usage", message: "Give the number of a job." },
    exitCode: 2,
  });
});

test("a job that is not there is a failure, so that a script does not take it for done", async () => {
  const folder = folders.make();
  folder.open();
  const { out, err, exitCode } = await folder.run(["jobs", "retry", "99"]);
  expect({ out, exitCode }).toEqual({ out: "", exitCode: 1 });
  expect(err).toBe("error: There is no job 99 that failed or waits.\n");
});
