// The first commands after an installation: nothing has run yet.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { explainRecovery } from "@session-runtime/opencode/status/way-back";
import { openBunDriver } from "@session-runtime/opencode/storage/driver-bun";
import { findHost, OPENCODE } from "../../src/host/find-host.ts";
import { runHere } from "../in-process.ts";
import { makeHome } from "../throwaway-home.ts";

setDefaultTimeout(600_000);

const DATABASE = ".local/share/session-runtime/runtime.db";

function fresh() {
  const home = makeHome();
  return {
    ...home,
    here: (...words: readonly string[]) =>
      runHere(words, { ...home.env, HOME: home.root }, home.root),
  };
}

describe("where no host has run yet", () => {
  test("`memory add` makes the database, private, and stores what it is given", async () => {
    const { here, path } = fresh();
    const { out, err, exitCode } = await here("memory", "add", "Use pnpm here.");
    expect({ err, exitCode }).toEqual({ err: "", exitCode: 0 });
    expect(out).toContain("Stored as memory 1");
    expect(statSync(path(DATABASE)).mode & 0o077).toBe(0);
    expect((await here("memory")).out).toContain("Use pnpm here.");
  });

  test.each(["profile add short", "workspace create shop"])("`%s` makes it, too", async (line) => {
    const { here, path } = fresh();
    const { err, exitCode } = await here(...line.split(" "));
    expect({ err, exitCode }).toEqual({ err: "", exitCode: 0 });
    expect(existsSync(path(DATABASE))).toBe(true);
  });

  test("what only reads makes none, nor does a name that --db has mistyped", async () => {
    const { here, root } = fresh();
    expect((await here("status")).exitCode).toBe(4);
    expect((await here("memory", "add", "x", "--db", join(root, "typo.db"))).exitCode).toBe(4);
    expect(readdirSync(root)).not.toContain("typo.db");
  });

  test("an empty list names a command that exists where it was started", async () => {
    const { here } = fresh();
    const { out } = await here("memory");
    expect(out).toMatch(/`(?:node \S+|session-runtime) memory add "…"` adds one/);
  });

  test("a data folder below a file is told by doctor, and `memory add` refuses it without a stack", async () => {
    const home = makeHome();
    const env = { ...home.env, HOME: home.root, XDG_DATA_HOME: "/dev/null/x" };
    const found = await runHere(["doctor", "--json", "--no-live"], env, home.root);
    expect(found.exitCode).toBe(3);
    const codes = JSON.parse(found.out).findings.map(({ code }: { code: string }) => code);
    expect(codes).toContain("folder-variable-wrong");
    const refused = await runHere(["memory", "add", "x"], env, home.root);
    expect(refused.exitCode).toBe(1);
    expect(refused.err).not.toMatch(/^\s+at /m);
    expect(refused.err).toContain("/dev/null/x");
  });

  test("a relative data folder is told by its own code", async () => {
    const home = makeHome();
    const env = { ...home.env, HOME: home.root, XDG_DATA_HOME: "data" };
    const { out } = await runHere(["doctor", "--json", "--no-live"], env, home.root);
    const [finding] = JSON.parse(out).findings;
    expect(finding).toMatchObject({ code: "folder-variable-relative" });
  });
});

test("memories come back out of a damaged database by the lines that its notice names", async () => {
  const { here, path } = fresh();
  await here("memory", "add", "Use pnpm here.");
  const [database, aside] = [path(DATABASE), `${path(DATABASE)}.corrupt-1`];
  damageRootPage("turn", database);
  renameSync(database, aside);
  for (const suffix of ["-wal", "-shm"]) rmSync(database + suffix, { force: true });
  const named = explainRecovery(aside).match(/session-runtime memory [^&]*/g) ?? [];
  for (const line of named) {
    const { err, exitCode } = await here(...line.trim().split(" ").slice(1));
    expect({ line, err, exitCode }).toEqual({ line, err: "", exitCode: 0 });
  }
  expect(named).toHaveLength(2);
  expect((await here("memory")).out).toContain("Use pnpm here.");
});

/** Writes over the first page of a table, and shows that SQLite sees it. */
function damageRootPage(table: string, database: string): void {
  const driver = openBunDriver(database);
  driver.get("PRAGMA wal_checkpoint(TRUNCATE)");
  const size = Number(driver.get("PRAGMA page_size")?.page_size);
  const root = driver.get("SELECT rootpage FROM sqlite_schema WHERE name = ?", table)?.rootpage;
  driver.close();
  const file = openSync(database, "r+");
  writeSync(file, Buffer.alloc(size, 0xff), 0, size, (Number(root) - 1) * size);
  closeSync(file);
  const again = openBunDriver(database);
  expect(again.get("PRAGMA quick_check(1)")?.quick_check).not.toBe("ok");
  again.close();
}

test("of several OpenCodes on the PATH the others are named; a link to the same one is none", async () => {
  const home = makeHome();
  const folders = ["one", "two", "three"].map((name) => home.path(name));
  for (const folder of folders) mkdirSync(folder);
  const [one, two, three] = folders.map((folder) => join(folder, "opencode")) as [
    string,
    string,
    string,
  ];
  for (const program of [one, three]) {
    writeFileSync(program, "#!/bin/sh\necho 1.18.33\n", { mode: 0o755 });
  }
  symlinkSync(one, two);
  const env = { HOME: home.root, PATH: `${folders.join(":")}:/usr/bin:/bin` };
  const { found, others } = await findHost(env, OPENCODE);
  expect(found?.path).toBe(one);
  expect(others.filter((path) => path.startsWith(home.root))).toEqual([three]);
});
