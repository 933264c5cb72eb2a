import { describe, expect, test } from "bun:test";
import type { Call } from "../model/call.ts";
import type { CallOptions } from "../model/steps.ts";
import { Scenes, sent, texts } from "./scenes.ts";

// Folds, drops and omits by a policy of the tests. Each obstacle that stood in their way has its schedule.
const scenes = new Scenes();
const full: Partial<CallOptions> = { full: true };

type Host = ReturnType<Scenes["open"]>["host"];

/** Three prompts, with a tool call after the first; the next full call folds up to the second. */
async function talk(host: Host): Promise<Call> {
  await host.prompt(0, { call: { outcome: "bash" } });
  await host.goOn(0);
  await host.prompt(0);
  return sent(await host.prompt(0));
}

/** The same with an update that the fold will hide: it opens an epoch. */
async function talkWithNews(host: Host): Promise<Call> {
  await host.prompt(0);
  host.change({ of: "file", place: "app", state: 2 });
  return await talk(host);
}

function folds(call: Call): readonly string[] {
  return texts(call).filter((text) => text.startsWith("user: [folded "));
}

function drops(call: Call): readonly string[] {
  return texts(call).filter((text) => /\[(dropped|proposed) /.test(text));
}

describe("a fold", () => {
  test("I28, obstacle 1: over an update opens an epoch whose Baseline tells the news", async () => {
    const { host } = scenes.open({ history: "folds" });
    await host.prompt(0);
    host.change({ of: "file", place: "app", state: 2 });
    await host.prompt(0);
    await host.prompt(0);
    await host.prompt(0);
    const call = sent(await host.prompt(0, { call: full }));
    expect(call.opened?.cause).toBe("folded");
    expect(folds(call)).toHaveLength(1);
    expect(call.updates).toEqual([]);
    expect(call.opened?.baseline).toContain("Rule 2 of app.");
  });

  test("I1, obstacle 2: is sent with the call that decides on it, and stays as it was", async () => {
    const { host } = scenes.open({ history: "folds" });
    await talk(host);
    const first = sent(await host.prompt(0, { call: full }));
    expect(folds(first)).toHaveLength(1);
    const next = sent(await host.prompt(0));
    expect(texts(next).slice(0, texts(first).length)).toEqual([...texts(first)]);
  });

  for (const [what, go] of [
    ["a restart", (host: Host) => host.restart()],
    ["another process", (host: Host) => host.useOtherProcess()],
  ] as const) {
    test(`I28, obstacle 3: holds over ${what}`, async () => {
      const { host } = scenes.open({ history: "folds" });
      await talk(host);
      const folded = folds(sent(await host.prompt(0, { call: full })));
      go(host);
      expect(folds(sent(await host.prompt(0)))).toEqual([...folded]);
    });
  }

  test("obstacle 3: holds over a move, whose first call is free to fold further", async () => {
    const { host } = scenes.open({ history: "folds" });
    await talk(host);
    await host.prompt(0, { call: full });
    host.move(0);
    const call = sent(await host.prompt(0));
    expect(call.opened?.cause).toBe("moved");
    expect(folds(call)).toHaveLength(1);
    expect(texts(call).some((text) => text.includes("prompt 1 "))).toBe(false);
  });

  test("obstacle 3: holds over a switch of model that begins an epoch", async () => {
    const { host } = scenes.open({ history: "folds", onModelSwitch: "fold" });
    await talk(host);
    const folded = folds(sent(await host.prompt(0, { call: full })));
    const call = sent(await host.prompt(0, { model: "gpt" }));
    expect(call.opened?.cause).toBe("model");
    // The fold of this opening goes further: an epoch's first call is free to.
    expect(folds(call)).toHaveLength(1);
    expect(folds(call)).not.toEqual([...folded]);
  });

  test("obstacle 9: is tied to its end: an undo into its range brings the former epoch back", async () => {
    const { host } = scenes.open({ history: "folds" });
    const before = await talkWithNews(host);
    const folded = sent(await host.prompt(0, { call: full }));
    expect(folded.opened?.startMessageId).toBe(
      folded.edits.at(-1)?.edit.verb === "fold" ? lastFoldedId(folded) : "",
    );
    host.undo(0, 3);
    const call = sent(await host.prompt(0));
    expect(call.opened).toBeNull();
    expect(folds(call)).toEqual([]);
    const kept = texts(before).slice(0, 5);
    expect(texts(call).slice(0, 5)).toEqual([...kept]);
  });

  test("I3: whose epoch can't be stored is on disk all the same, and sent again as it was", async () => {
    const met = new Set<string>();
    for (let atCall = 1; atCall <= 16; atCall++) {
      const { host } = scenes.open({ history: "folds" });
      await talkWithNews(host);
      const call = sent(
        await host.prompt(0, { call: { ...full, fault: { kind: "error", atCall } } }),
      );
      const next = sent(await host.prompt(0, { call: full }));
      const what = `${call.live ? "live" : "stored"}, ${folds(call).length} folds`;
      met.add(what);
      if (what === "live, 1 folds") {
        expect(next.opened?.cause).toBe("folded");
        expect(folds(next)).toEqual([...folds(call)]);
      }
    }
    expect([...met].sort()).toEqual(["live, 1 folds", "stored, 0 folds", "stored, 1 folds"]);
  });
});

describe("a fold that can't be prepared", () => {
  test("K3: is not sent, and what changed is told all the same", async () => {
    const { host } = scenes.open({ history: "folds" });
    await talkWithNews(host);
    host.change({ of: "file", place: "app", state: 2 });
    // What others have written is asked for first.
    const fault = { kind: "error", atCall: 2 } as const;
    const call = sent(await host.prompt(0, { call: { ...full, fault } }));
    expect([folds(call).length, call.updates.length, call.opened]).toEqual([0, 1, null]);
    expect(host.process.failures).toHaveLength(1);
  });

  test("leaves waiting what the user has asked for, until a fold can be stored", async () => {
    const { host } = scenes.open({ history: "folds" });
    await talk(host);
    const { database, runtime } = host.instance(0);
    const { id } = host.session(0);
    database.proposals.add({ kind: "k", sessionId: id, urgency: "command", output: null }, 1);
    runtime.reloadProposals(id);
    const fault = { kind: "error", atCall: 2 } as const;
    await host.prompt(0, { call: { ...full, fault } });
    expect(database.proposals.waiting(id)).toHaveLength(1);
    const call = sent(await host.prompt(0, { call: full }));
    expect(folds(call)).toHaveLength(1);
    expect(database.proposals.waiting(id)).toEqual([]);
  });
});

describe("a drop", () => {
  test("obstacle 5: waits for pressure, and is no rewrite of a warm cache", async () => {
    const { host } = scenes.open({ history: "drops" });
    expect(drops(await talk(host))).toEqual([]);
    const call = sent(await host.prompt(0, { call: full }));
    expect(drops(call)).toHaveLength(1);
    expect(call.opened).toBeNull();
    expect(drops(sent(await host.prompt(0)))).toEqual([...drops(call)]);
  });

  test("I22: that is worth it is made where the cache is warm, and names what it is worth", async () => {
    const { host } = scenes.open({ history: "drops" });
    expect(drops(await talk(host))).toEqual([]);
    const call = sent(await host.prompt(0, { call: { worth: true } }));
    expect(drops(call)).toHaveLength(1);
    expect(call.opened).toBeNull();
    expect(drops(sent(await host.prompt(0)))).toEqual([...drops(call)]);
    const { database } = host.instance(0);
    const turns = database.turns.recent(host.session(0).id, 2);
    expect(turns.map(({ bust }) => bust)).toContain(
      "old history was dropped: reading it had cost as much as writing the rest again",
    );
  });

  test("obstacle 4, I28: shows in a compaction's pass", async () => {
    const { host, violations } = scenes.open({ history: "drops" });
    await talk(host);
    await host.prompt(0, { call: full });
    // The checker looks at the compaction's own pass, which has the whole history where no tail is kept.
    await host.compact(0, { tail: 0 });
    expect(violations).toEqual([]);
  });

  test("I28: shows in a compaction's pass beside failed calls, whose texts are bounded there", async () => {
    const { host } = scenes.open({ history: "drops" });
    await talk(host);
    await host.prompt(0, { call: full });
    await host.prompt(0, { call: { outcome: "flood" } });
    const { runtime } = host.instance(0);
    const { id, rows } = host.session(0);
    runtime.beginCompaction(id);
    const projected = JSON.stringify(await runtime.projectHistory(rows.visible()));
    expect(projected).toMatch(/\[dropped /);
    expect(projected).toMatch(/error \d+ of .{1,40} … in file 1/);
  });

  test("obstacle 6: proposed by a job waits in the queue until a boundary takes it, once", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: { outcome: "bash" } });
    await host.goOn(0);
    host.propose(0, { urgency: "waits", result: 0 });
    host.propose(0, { urgency: "waits", result: 0 });
    expect(drops(sent(await host.prompt(0)))).toEqual([]);
    const call = sent(await host.prompt(0, { call: full }));
    expect(drops(call)).toHaveLength(1);
    expect(call.edits).toHaveLength(1);
    expect(sent(await host.prompt(0, { call: full })).edits).toHaveLength(1);
  });

  test("obstacle 5: asked for by a command is taken at the next boundary", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: { outcome: "bash" } });
    await host.goOn(0);
    host.propose(0, { urgency: "command", result: 0 });
    expect(drops(sent(await host.prompt(0)))).toHaveLength(1);
  });

  const openings = [
    ["a move", moved, "moved"],
    ["a switch of model", (host: Host) => host.prompt(0, { model: "gpt" }), "model"],
    ["a compaction that leaves its place", compacted, "compacted"],
  ] as const;
  test.each([...openings])("obstacle 3: is carried over %s", async (_what, open, cause) => {
    // Nobody drafts it again: it was proposed once.
    const { host } = scenes.open({ onModelSwitch: "fold" });
    await host.prompt(0, { call: { outcome: "bash" } });
    await host.goOn(0);
    host.propose(0, { urgency: "command", result: 0 });
    const dropped = drops(sent(await host.prompt(0)));
    const call = sent(await open(host));
    expect(call.opened?.cause).toBe(cause);
    expect(drops(call)).toEqual([...dropped]);
  });

  test("obstacle 6: proposed of what an undo has taken is stale, and forgotten", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    await host.prompt(0, { call: { outcome: "bash" } });
    host.propose(0, { urgency: "waits", result: 0 });
    host.undo(0, 1);
    await host.prompt(0);
    const { database } = host.instance(0);
    expect(database.proposals.waiting(host.session(0).id)).toEqual([]);
    expect(sent(await host.prompt(0, { call: full })).edits).toEqual([]);
  });

  test("obstacle 7: is named as the cause of the cache's loss", async () => {
    const { host } = scenes.open({ history: "drops" });
    await talk(host);
    await host.prompt(0, { call: full });
    const { database } = host.instance(0);
    const [turn] = database.turns.recent(host.session(0).id, 1);
    expect(turn?.bust).toBe("old history was dropped: the call would not have fitted");
  });

  test("obstacle 7: is named as the cause also where news come with it", async () => {
    const { host } = scenes.open({ history: "drops" });
    await talk(host);
    host.change({ of: "file", place: "app", state: 2 });
    expect(sent(await host.prompt(0, { call: full })).updates).toHaveLength(1);
    expect(newestBust(host)).toBe("old history was dropped: the call would not have fitted");
  });

  test("I1: of what an undo took, no drop is the cause, nor news that come after it", async () => {
    const { host } = scenes.open({ history: "drops" });
    await host.prompt(0);
    await host.prompt(0);
    host.undo(0, 1);
    host.change({ of: "file", place: "app", state: 2 });
    expect(sent(await host.prompt(0)).updates).toHaveLength(1);
    expect(newestBust(host)).toBe("sent history changed: an undo, another plugin, or the host");
    host.undo(0, 1);
    await host.prompt(0);
    expect(newestBust(host)).toBe("sent history changed: an undo, another plugin, or the host");
  });

  test("obstacle 8: is on record with the policy that drafted it", async () => {
    const { host } = scenes.open({ history: "drops" });
    await talk(host);
    expect(sent(await host.prompt(0, { call: full })).edits.map(({ origin }) => origin)).toEqual([
      "model-history",
    ]);
  });
});

function moved(host: Host): Promise<Call | null> {
  host.move(0);
  return host.prompt(0);
}

async function compacted(host: Host): Promise<Call | null> {
  await host.compact(0, { tail: 4 });
  return host.prompt(0);
}

function newestBust(host: Host): string | null | undefined {
  return host.instance(0).database.turns.recent(host.session(0).id, 1)[0]?.bust;
}

function lastFoldedId({ edits }: Call): string {
  const edit = edits.at(-1)?.edit;
  return edit?.verb === "fold" ? edit.last : "";
}
