import { describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import type { RuntimeDatabase } from "../../src/storage/database.ts";
import { DatabaseHandle } from "../../src/storage/database-handle.ts";
import { StorageError } from "../../src/storage/errors.ts";
import type { MovedDatabase } from "../../src/storage/open.ts";
import { reportsIn, spawnWorker } from "./processes.ts";
import { catchStorageError, Workspace } from "./workspace.ts";

const workspace = new Workspace();
const refusal = (code: StorageError["code"]) => new StorageError(code, "not now");

/** A file whose mode and clock are the test's own. */
const newFile = () => ({ path: workspace.path(), nowMs: 1_000_000, isWritable: true });

type Opening = RuntimeDatabase | StorageError | (() => Promise<RuntimeDatabase>);

/** A handle on that file whose openings come from a list. */
function handleOn(file: ReturnType<typeof newFile>, left: Opening[], aside: string | null = null) {
  const moved: MovedDatabase[] = [];
  const handle = new DatabaseHandle({
    path: file.path,
    open: async () => {
      const opening = left.shift();
      const next = typeof opening === "function" ? await opening() : opening;
      if (!next || next instanceof StorageError) throw next ?? new Error("no more openings");
      return { database: next, movedAside: aside === null ? null : { kind: "damaged", aside } };
    },
    movedAside: (path) => moved.push(path),
    isWritable: () => file.isWritable,
    nowMs: () => file.nowMs,
  });
  return { handle, moved };
}

function stage(...openings: readonly Opening[]) {
  const left = [...openings];
  const file = newFile();
  return { ...handleOn(file, left), file, left: () => left.length };
}

describe("K3: the one connection of a plugin instance", () => {
  test("is opened again five seconds after it could not be", async () => {
    const database = workspace.open(workspace.path());
    const { handle, file } = stage(refusal("locked"), database);
    await expect(handle.ensure()).rejects.toThrow("not now");
    file.nowMs += 4_999;
    await expect(handle.ensure()).rejects.toThrow("not now");
    expect(() => handle.current()).toThrow("not now");
    file.nowMs += 1;
    await handle.ensure();
    expect(handle.current()).toBe(database);
  });

  test("is not open before anybody needs it, and says so", async () => {
    const { handle } = stage(workspace.open(workspace.path()));
    expect(catchStorageError(() => handle.current())).toMatchObject({
      code: "unopenable",
      message: "The runtime's database is not open yet.",
    });
  });

  test("says where a damaged file was moved to, and nothing where none was", async () => {
    const [database, file] = [workspace.open(workspace.path()), newFile()];
    for (const [aside, said] of [
      [null, []],
      ["/data/runtime.db.corrupt", ["/data/runtime.db.corrupt"]],
    ] as const) {
      const { handle, moved } = handleOn(file, [database], aside);
      await handle.ensure();
      expect(moved.map(({ aside }) => aside)).toEqual([...said]);
    }
  });

  test("is tried again after five seconds, also where the file still can't be written", async () => {
    const database = workspace.open(workspace.path());
    const { handle, file } = stage(refusal("read_only"), database);
    file.isWritable = false;
    await expect(handle.ensure()).rejects.toThrow("not now");
    file.nowMs += 5_000;
    await handle.ensure();
    expect(handle.current()).toBe(database);
  });

  test("comes back with its refused neighbours: they need not ask for it", async () => {
    const file = newFile();
    const opening = () => workspace.open(workspace.path());
    const [one, two] = [handleOn(file, [opening(), opening()]), handleOn(file, [opening()])];
    const last = opening();
    const late = () => Bun.sleep(20).then(() => last);
    const three = handleOn(file, [opening(), late]);
    const all = [one, two, three].map(({ handle }) => handle);
    for (const handle of all) await handle.ensure();
    file.isWritable = false;
    for (const handle of all) handle.onRefused(refusal("read_only"));
    file.isWritable = true;
    await one.handle.ensure();
    expect(three.handle.current()).toBe(last);
    // What went wrong there is its own: it was opened as well, and failed.
    expect(() => two.handle.current()).toThrow("not open");
  });

  test("is opened again as soon as a file that could not be written can be", async () => {
    const database = workspace.open(workspace.path());
    const { handle, file } = stage(refusal("read_only"), database);
    file.isWritable = false;
    await expect(handle.ensure()).rejects.toThrow("not now");
    await expect(handle.ensure()).rejects.toThrow("not now");
    file.isWritable = true;
    await handle.ensure();
    expect(handle.current()).toBe(database);
  });

  test("is read while it can't be written, and replaced as soon as it can be", async () => {
    const first = workspace.open(workspace.path());
    const second = workspace.open(workspace.path());
    const { handle, file } = stage(first, second);
    await handle.ensure();
    file.isWritable = false;
    handle.onRefused(refusal("read_only"));
    file.nowMs += 60_000;
    await handle.ensure();
    expect(handle.current()).toBe(first);
    file.isWritable = true;
    await handle.ensure();
    expect(handle.current()).toBe(second);
    file.nowMs += 60_000;
    await handle.ensure();
    expect(handle.current()).toBe(second);
  });

  test("is replaced after five seconds where nothing shows why it was refused", async () => {
    const first = workspace.open(workspace.path());
    const second = workspace.open(workspace.path());
    const { handle, file } = stage(first, second);
    await handle.ensure();
    handle.onRefused(refusal("read_only"));
    file.nowMs += 4_999;
    handle.onRefused(refusal("read_only"));
    await handle.ensure();
    expect(handle.current()).toBe(first);
    file.nowMs += 1;
    await handle.ensure();
    expect(handle.current()).toBe(second);
  });

  test("is closed before another one is opened, and tried again where that fails", async () => {
    const first = workspace.open(workspace.path());
    const second = workspace.open(workspace.path());
    const { handle, file } = stage(first, refusal("unopenable"), second);
    await handle.ensure();
    handle.onRefused(refusal("read_only"));
    file.nowMs += 5_000;
    await expect(handle.ensure()).rejects.toThrow("not now");
    expect(() => first.foreignVersion()).toThrow();
    file.nowMs += 5_000;
    await handle.ensure();
    expect(handle.current()).toBe(second);
  });

  test("is opened once by those who ask at the same time", async () => {
    const { handle, left } = stage(workspace.open(workspace.path()), refusal("failed"));
    await Promise.all([handle.ensure(), handle.ensure()]);
    expect(left()).toBe(1);
  });

  test("stays where it was locked or full: that passes by itself", async () => {
    const { handle, file, left } = stage(
      workspace.open(workspace.path()),
      workspace.open(workspace.path()),
    );
    await handle.ensure();
    for (const code of ["locked", "full", "gone", "failed"] as const)
      handle.onRefused(refusal(code));
    file.nowMs += 60_000;
    await handle.ensure();
    expect(left()).toBe(1);
  });

  test("writes again, with its neighbours in the process, after all were opened on a read-only file", async () => {
    const { path, database } = workspace.withEpoch();
    // The companions of a database that is in use somewhere else: they are there, and read-only too.
    const folder = dirname(path);
    const modes = (file: number, inFolder: number) => {
      for (const suffix of ["", "-wal", "-shm"]) chmodSync(path + suffix, file);
      chmodSync(folder, inFolder);
    };
    modes(0o444, 0o555);
    const worker = spawnWorker("read-only-handles.ts", path);
    const reports = [];
    for await (const chunk of worker.stdout) {
      reports.push(...reportsIn(new TextDecoder().decode(chunk)));
      if (reports.length === 2) modes(0o666, 0o777);
    }
    expect(await worker.exited).toBe(0);
    expect(reports).toEqual(["read_only", "read_only", "committed", "lost"]);
    database.close();
  });
});
