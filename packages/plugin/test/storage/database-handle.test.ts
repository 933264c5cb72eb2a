import { describe, expect, test } from "bun:test";
import { DatabaseHandle } from "../../src/storage/database-handle.ts";
import { type RuntimeDatabase, StorageError } from "../../src/storage/store.ts";
import { Workspace } from "./workspace.ts";

const workspace = new Workspace();
const refusal = (code: StorageError["code"]) => new StorageError(code, "not now");

/** A handle whose openings come from a list, by a clock of the test's own. */
function stage(...openings: readonly (RuntimeDatabase | StorageError)[]) {
  const left = [...openings];
  const clock = { nowMs: 1_000_000 };
  const handle = new DatabaseHandle({
    open: async () => {
      const next = left.shift();
      if (!next || next instanceof StorageError) throw next ?? new Error("no more openings");
      return { database: next, movedAside: null };
    },
    movedAside: () => undefined,
    now: () => clock.nowMs,
  });
  return { handle, clock, left: () => left.length };
}

describe("K3: the one connection of a plugin instance", () => {
  test("is opened again five seconds after it could not be", async () => {
    const database = workspace.open(workspace.path());
    const { handle, clock } = stage(refusal("locked"), database);
    await expect(handle.ensure()).rejects.toThrow("not now");
    clock.nowMs += 4_999;
    await expect(handle.ensure()).rejects.toThrow("not now");
    clock.nowMs += 1;
    await handle.ensure();
    expect(handle.current()).toBe(database);
  });

  test("is replaced where it could not be written and perhaps can be by now", async () => {
    const first = workspace.open(workspace.path());
    const second = workspace.open(workspace.path());
    const { handle, clock } = stage(first, second);
    await handle.ensure();
    handle.refused(refusal("read_only"));
    await handle.ensure();
    expect(handle.current()).toBe(first);
    clock.nowMs += 5_000;
    await handle.ensure();
    expect(handle.current()).toBe(second);
    clock.nowMs += 5_000;
    await handle.ensure();
    expect(handle.current()).toBe(second);
  });

  test("goes on while no other one can be had", async () => {
    const first = workspace.open(workspace.path());
    const second = workspace.open(workspace.path());
    const { handle, clock } = stage(first, refusal("unopenable"), second);
    await handle.ensure();
    handle.refused(refusal("read_only"));
    clock.nowMs += 5_000;
    await handle.ensure();
    expect(handle.current()).toBe(first);
    clock.nowMs += 5_000;
    await handle.ensure();
    expect(handle.current()).toBe(second);
  });

  test("stays where it was locked or full: that passes by itself", async () => {
    const { handle, clock, left } = stage(
      workspace.open(workspace.path()),
      workspace.open(workspace.path()),
    );
    await handle.ensure();
    for (const code of ["locked", "full", "gone", "failed"] as const) handle.refused(refusal(code));
    clock.nowMs += 60_000;
    await handle.ensure();
    expect(left()).toBe(1);
  });
});
