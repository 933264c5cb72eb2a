import { describe, expect, test } from "bun:test";
import { chmodSync, chownSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isForeignFile, isTruncated, isWritable, makePrivate } from "../../src/storage/files.ts";
import { canListOpenFiles, openFiles } from "../open-files.ts";
import { schema } from "../schema.ts";
import { firstCommit } from "./records.ts";
import { Workspace } from "./workspace.ts";

const workspace = new Workspace();
const readMode = (path: string) => statSync(path).mode & 0o777;

describe("whether the database can be written", () => {
  test("K3: it can't where a part of its path is a file", () => {
    const file = join(workspace.folder(), "data");
    writeFileSync(file, "Not a folder.");
    expect(isWritable(join(file, "session-runtime", "runtime.db"))).toBe(false);
  });

  test("K3: it can where its folder can, with or without a file", () => {
    const path = workspace.path();
    expect(isWritable(path)).toBe(true);
    workspace.open(path);
    expect(isWritable(path)).toBe(true);
  });
});

describe("a database that was cut to nothing", () => {
  test("K3: is an empty file with a WAL that is not: nothing else is", () => {
    const path = workspace.path();
    const made = (bytes: number, walBytes: number) => {
      writeFileSync(path, "x".repeat(bytes));
      writeFileSync(`${path}-wal`, "x".repeat(walBytes));
      return isTruncated(path);
    };
    expect(isTruncated(path)).toBe(false);
    expect([made(0, 0), made(1, 0), made(1, 1), made(0, 1)]).toEqual([false, false, false, true]);
  });
});

describe("a file under a name that the user gave", () => {
  const otherFile = () => {
    const path = join(workspace.folder(), "notes.txt");
    writeFileSync(path, "Milk, eggs, and bread.");
    return path;
  };

  test("K3: is another's unless it is empty or a database", () => {
    const empty = join(workspace.folder(), "empty.db");
    writeFileSync(empty, "");
    const database = workspace.path();
    workspace.open(database);
    expect([otherFile(), empty, database].map(isForeignFile)).toEqual([true, false, false]);
  });

  test.skipIf(!canListOpenFiles)("is not kept open (skipped: without /proc)", () => {
    const path = otherFile();
    isForeignFile(path);
    expect(openFiles()).not.toContain(path);
  });
});

describe("modes", () => {
  test("K6: a mode that leaves others out already stays as it is", () => {
    const path = workspace.path();
    writeFileSync(path, "");
    chmodSync(path, 0o400);
    makePrivate(path);
    expect(readMode(path)).toBe(0o400);
  });

  test.skipIf(process.geteuid?.() !== 0)(
    "K6: another user's file keeps its mode (skipped: it takes root to make one)",
    () => {
      const path = workspace.path();
      writeFileSync(path, "");
      chmodSync(path, 0o644);
      chownSync(path, 65_534, 65_534);
      makePrivate(path);
      expect(readMode(path)).toBe(0o644);
    },
  );

  test("K6: the folders that are made are 0700, the database and its companions 0600", () => {
    const folder = join(workspace.folder(), "share", "session-runtime");
    const path = join(folder, "runtime.db");
    workspace.open(path).ledger.commit(firstCommit());
    expect([readMode(dirname(folder)), readMode(folder)]).toEqual([0o700, 0o700]);
    expect(readdirSync(folder).toSorted()).toEqual([
      "runtime.db",
      "runtime.db-shm",
      "runtime.db-wal",
    ]);
    for (const name of readdirSync(folder))
      expect([name, readMode(join(folder, name))]).toEqual([name, 0o600]);
  });

  test("K6: looser modes of a database that is there are taken back, its companions' too", () => {
    const path = workspace.path();
    workspace.open(path).ledger.commit(firstCommit());
    for (const suffix of ["", "-wal", "-shm"]) chmodSync(path + suffix, 0o644);
    workspace.open(path);
    for (const suffix of ["", "-wal", "-shm"]) expect(readMode(path + suffix)).toBe(0o600);
  });

  test("K6: a folder that was there keeps its mode: it may be anyone's", () => {
    const folder = workspace.folder();
    chmodSync(folder, 0o755);
    workspace.open(join(folder, "runtime.db"));
    expect(readMode(folder)).toBe(0o755);
  });
});

test("health tells path, bytes on disk and schema version", () => {
  const path = workspace.path();
  const database = workspace.open(path);
  const { sizeBytes } = database.health();
  expect(database.health()).toEqual({ path, sizeBytes, schemaVersion: schema.version });
  expect(sizeBytes).toBe(statSync(path).size + statSync(`${path}-wal`).size);
});
