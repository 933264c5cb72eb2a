import { describe, expect, test } from "bun:test";
import type { SessionId } from "../../src/storage/records.ts";
import { Scenes, sent } from "./scenes.ts";

const scenes = new Scenes();

function opened() {
  const { host } = scenes.open();
  const { runtime } = host.instance(0);
  const id = () => host.session(0).id as SessionId;
  return { host, runtime, id };
}

describe("what is known of a session's newest call", () => {
  test("nothing before it, and of a session that this process doesn't hold", () => {
    const { runtime } = opened();
    expect(runtime.callState("ses_unknown" as SessionId)).toEqual({ kind: "none" });
    expect(runtime.sentCall("ses_unknown" as SessionId)).toBeNull();
  });

  test("its Baseline once it is sent, and the entries of its epoch alone", async () => {
    const { host, runtime, id } = opened();
    await host.prompt(0);
    host.change({ of: "file", place: "app", state: 2 });
    await host.prompt(0);
    const state = runtime.callState(id());
    expect(state.kind === "sent" && state.baseline).toContain("Rule 1 of app.");
    expect(runtime.sentCall(id())).toMatchObject({ epochNumber: 1, entries: [{ epochSeq: 1 }] });
    const after = sent(await host.compact(0, { goesOn: true }));
    expect(after.opened?.cause).toBe("compacted");
    const call = runtime.sentCall(id());
    expect([call?.epochNumber, call?.entries.length]).toEqual([2, 0]);
  });
});

describe("what the host says of a session", () => {
  test("busy and idle; one that ends before a compaction's own pass leaves no mark of it", async () => {
    const { host, runtime, id } = opened();
    await host.prompt(0);
    runtime.sawStatus(id(), "busy");
    expect(runtime.isBusy(id())).toBe(true);
    runtime.markCompacting(id());
    expect(runtime.isCompacting(id())).toBe(true);
    runtime.sawStatus(id(), "busy");
    expect(runtime.isCompacting(id())).toBe(true);
    runtime.sawStatus(id(), "idle");
    expect([runtime.isBusy(id()), runtime.isCompacting(id())]).toEqual([false, false]);
    runtime.sawStatus("ses_unknown" as SessionId, "idle");
    expect(runtime.isCompacting("ses_unknown" as SessionId)).toBe(false);
  });

  test("that it is deleted: all its rows go", async () => {
    const { host, runtime, id } = opened();
    await host.prompt(0);
    runtime.flush();
    const { database } = host.instance(0);
    expect(database.turns.recent(id(), 9)).toHaveLength(1);
    runtime.removeSession(id());
    expect(database.turns.recent(id(), 9)).toEqual([]);
    expect(runtime.callState(id())).toEqual({ kind: "none" });
  });
});
