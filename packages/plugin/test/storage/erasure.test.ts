import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createProfileStore } from "../../src/features/memory/profile-table.ts";
import { createSqliteMemoryStore } from "../../src/features/memory/sqlite-store.ts";
import type { ProjectId } from "../../src/project/project.ts";
import { SecureDeletion } from "../../src/storage/driver.ts";
import { openBunDriver, openBunReader } from "../../src/storage/driver-bun.ts";
import { createJobStore } from "../../src/storage/job-store.ts";
import type { SessionId } from "../../src/storage/records.ts";
import { removeSession } from "../../src/storage/session-store.ts";
import { eventually } from "../eventually.ts";
import { NOON_MS, Workspace } from "./workspace.ts";

const workspace = new Workspace();
const WORD = "flummoxite";
const session = "ses_one" as SessionId;
const project = "commit:abc" as ProjectId;

/** The files of a folder that hold the word. */
function holding(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(WORD));
}

function opened() {
  const path = workspace.path();
  workspace.open(path);
  const driver = openBunDriver(path);
  driver.exec("PRAGMA foreign_keys = ON");
  return { path, folder: join(path, ".."), driver };
}

/** Long enough for pages of its own. */
const LONG = `${WORD} ${"and more of it. ".repeat(1_000)}${WORD}`;

function addJob(driver: ReturnType<typeof opened>["driver"]): void {
  const work = { kind: "historian", board: "/p", project, sessionId: session, key: "k" } as const;
  createJobStore(driver).add(
    { ...work, urgency: "waits", input: { LONG }, subject: null },
    NOON_MS,
  );
}

describe("what is deleted for good", () => {
  test("ER1: of a session is in no file of the folder any more, the write-ahead log neither", () => {
    const { driver, folder } = opened();
    addJob(driver);
    expect(holding(folder)).not.toEqual([]);
    removeSession(driver, session);
    expect(holding(folder)).toEqual([]);
    driver.close();
  });

  test("of memories, projects and the profile neither", async () => {
    const { driver, folder } = opened();
    const store = createSqliteMemoryStore(driver);
    const place = { id: project, name: "p", worktree: "/p" };
    const wording = { category: "NAMING", importance: 50, permanence: "ordinary" } as const;
    const by = { by: "user", sessionId: null, segment: null, nowMs: NOON_MS } as const;
    const add = async (text: string) => {
      await store.enter(place, NOON_MS);
      const [outcome] = await store.apply(
        project,
        [{ kind: "add", wording: { ...wording, text } }],
        by,
      );
      if (outcome?.kind !== "done") throw new Error("not added");
      return outcome.memory.id;
    };
    const id = await add(`Chose ${WORD} over granite.`);
    expect(holding(folder)).not.toEqual([]);
    await store.forget(project, id);
    expect(holding(folder)).toEqual([]);
    await add(`Chose ${WORD} again.`);
    await store.forgetProject(project);
    expect(holding(folder)).toEqual([]);
    const profile = createProfileStore(driver);
    const noted = { text: `Likes ${WORD}.`, by: "user", writtenAtMs: NOON_MS } as never;
    profile.forget(profile.add(noted));
    expect(holding(folder)).toEqual([]);
    profile.add(noted);
    profile.forgetAll();
    expect(holding(folder)).toEqual([]);
    driver.close();
  });

  test("while another process reads goes a second after it has ended, and nobody waits for that", async () => {
    const { driver, folder, path } = opened();
    driver.exec("PRAGMA busy_timeout = 5000");
    addJob(driver);
    const reader = openBunReader(path);
    reader.exec("BEGIN");
    reader.get("SELECT count(*) AS n FROM job");
    removeSession(driver, session);
    expect(holding(folder)).not.toEqual([]);
    reader.exec("COMMIT");
    await eventually("it is in no file", () => holding(folder).length === 0);
    expect(driver.get("PRAGMA busy_timeout")?.timeout).toBe(5_000);
    reader.close();
    driver.close();
  });

  test("is asked for once more where its connection closes before, and not after that", async () => {
    const asked: string[] = [];
    const erasure = new SecureDeletion({
      exec: (sql) => void asked.push(sql),
      get(sql) {
        asked.push(sql);
        return { busy: 1 };
      },
    });
    const checkpoints = () => asked.filter((sql) => sql.includes("wal_checkpoint")).length;
    erasure.runAndEmptyWal("deletes", () => undefined);
    expect(checkpoints()).toBe(1);
    // It runs on the host's own thread, which must not wait for others.
    expect(asked[asked.findIndex((sql) => sql.includes("wal_checkpoint")) - 1]).toBe(
      "PRAGMA busy_timeout = 0",
    );
    erasure.close();
    expect(checkpoints()).toBe(2);
    await Bun.sleep(1_200);
    expect(checkpoints()).toBe(2);
  });

  test("in a transaction goes with its end, and what is not deleted makes no checkpoint", () => {
    const { driver, folder } = opened();
    addJob(driver);
    driver.transaction(() => {
      driver.transaction(() => removeSession(driver, session));
      expect(driver.get("SELECT count(*) AS n FROM job")?.n).toBe(0);
    });
    expect(holding(folder)).toEqual([]);
    addJob(driver);
    driver.transaction(() => driver.run("DELETE FROM job"));
    expect(holding(folder)).not.toEqual([]);
    driver.close();
  });
});
