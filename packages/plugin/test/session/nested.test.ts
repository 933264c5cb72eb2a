import { describe, expect, test } from "bun:test";
import { instructions, Scenes, sent, texts, update } from "./scenes.ts";

const scenes = new Scenes();

function count(call: Parameters<typeof texts>[0], words: string): number {
  return texts(call).join("\n").split(words).length - 1;
}

test("I12: an instruction of the former Location is not taken over from a Baseline that told it", async () => {
  const { host } = scenes.open();
  await host.prompt(0, { call: { outcome: "sub" } });
  await host.goOn(0);
  expect(sent(await host.compact(0, { goesOn: true })).system.join("\n")).toContain("of sub.");
  host.move(0);
  const moved = sent(await host.prompt(0));
  expect(moved.opened?.cause).toBe("moved");
  expect(moved.system.join("\n")).not.toContain("of sub.");
});

describe("nested instructions", () => {
  test("J23: what a result showed is not told again", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: { outcome: "sub" } });
    const call = sent(await host.goOn(0));
    expect(call.inserted).toEqual([]);
    expect(count(call, "Rule 1 of sub.")).toBe(1);
    expect(host.stored.count("entry", "ses_0_1")).toBe(1);
  });

  test("J23: a change is told once, and a file that goes away is taken back", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: { outcome: "sub" } });
    host.change({ of: "file", place: "sub", state: 2 });
    const path = host.world.path("sub");
    expect(sent(await host.goOn(0)).updates).toEqual([
      update(
        "These instructions replace the ones previously loaded from this file.",
        instructions(path, "Rule 2 of sub."),
      ),
    ]);
    expect(sent(await host.prompt(0)).updates).toHaveLength(1);
    host.change({ of: "file", place: "sub", state: "missing" });
    expect(sent(await host.prompt(0)).updates.at(-1)).toBe(
      update(`The instructions from ${path} no longer apply.`),
    );
  });

  test("J23, D8: after a compaction they are in the Baseline, and a later one keeps them", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: { outcome: "deep" } });
    await host.goOn(0);
    const first = sent(await host.compact(0, { goesOn: true }));
    const second = sent(await host.compact(0, { goesOn: true }));
    for (const call of [first, second]) {
      expect(call.system[1]).toContain("Rule 1 of deep.");
      expect(call.system[1]).toContain("Rule 1 of sub.");
    }
  });

  test("J23: after a compaction the host's repeated copy is taken out of the result", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: { outcome: "sub" } });
    await host.goOn(0);
    await host.compact(0, { goesOn: true, call: { outcome: "sub" } });
    const call = sent(await host.goOn(0));
    expect(count(call, "Rule 1 of sub.")).toBe(1);
    expect(texts(call).at(-1)).toContain("(End of file)\n</content>");
    expect(texts(call).at(-1)).not.toContain("system-reminder");
  });

  test("J23: a repeated copy that says something new stays", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: { outcome: "sub" } });
    await host.goOn(0);
    const meanwhile = { of: "file", place: "sub", state: 2 } as const;
    await host.compact(0, { goesOn: true, call: { outcome: "sub", meanwhile } });
    const call = sent(await host.goOn(0));
    expect(texts(call).at(-1)).toContain("Rule 2 of sub.");
    expect(call.inserted).toEqual([]);
  });

  test("J23: what was taken back within the same step is shown again by the host's copy", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: { outcome: "sub" } });
    await host.goOn(0);
    await host.compact(0, { goesOn: true });
    host.change({ of: "file", place: "sub", state: "missing" });
    const meanwhile = { of: "file", place: "sub", state: 1 } as const;
    await host.prompt(0, { call: { outcome: "sub", meanwhile } });
    expect(texts(sent(await host.goOn(0))).at(-1)).toContain("Rule 1 of sub.");
  });

  test("I10: with the result that showed them they are withdrawn, and shown again by the next one", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    await host.prompt(0, { call: { outcome: "sub" } });
    await host.goOn(0);
    host.undo(0, 1);
    host.change({ of: "file", place: "sub", state: 2 });
    const call = sent(await host.prompt(0, { call: { outcome: "sub" } }));
    expect(texts(call).join()).not.toContain("of sub.");
    expect(count(sent(await host.goOn(0)), "Rule 2 of sub.")).toBe(1);
  });

  test("an older copy in the kept tail is followed by the present state, once", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    await host.prompt(0, { call: { outcome: "sub" } });
    host.change({ of: "file", place: "sub", state: 2 });
    await host.goOn(0);
    await host.compact(0, { tail: 2, goesOn: true });
    const call = sent(await host.prompt(0));
    expect(texts(call).join("\n").lastIndexOf("Rule 2 of sub.")).toBeGreaterThan(
      texts(call).join("\n").lastIndexOf("Rule 1 of sub."),
    );
    expect(call.updates).toHaveLength(1);
    expect(sent(await host.prompt(0)).updates).toHaveLength(1);
  });

  test("an older copy in the history of a folded epoch is followed by the present state", async () => {
    const { host } = scenes.open({ onModelSwitch: "fold" });
    await host.prompt(0, { call: { outcome: "sub" } });
    host.change({ of: "file", place: "sub", state: 2 });
    await host.goOn(0);
    await host.prompt(0, { model: "gpt" });
    expect(sent(await host.prompt(0, { model: "gpt" })).updates).toHaveLength(1);
  });
});

describe("the host's prune", () => {
  const hour = 3_600_000;

  test("J22: a result that was sent is held while the cache is warm, and given up when it is cold", async () => {
    const { host } = scenes.open({ hostPrune: "on" });
    await host.prompt(0, { call: { outcome: "bash" } });
    await host.goOn(0);
    await host.prompt(0);
    host.prune(0);
    expect(texts(sent(await host.prompt(0))).join()).toContain("output 2 of ses_0_1");
    host.world.nowMs += hour;
    const cold = sent(await host.prompt(0));
    expect(texts(cold).join()).not.toContain("output 2 of ses_0_1");
    expect(texts(cold).join()).toContain("[Old tool result content cleared]");
    await host.prompt(0);
  });

  test("J22: a result that the host has not blanked stays, however cold the cache is", async () => {
    const { host } = scenes.open({ hostPrune: "on" });
    await host.prompt(0, { call: { outcome: "bash" } });
    const before = sent(await host.goOn(0));
    host.world.nowMs += hour;
    expect(texts(sent(await host.prompt(0)))).toEqual(expect.arrayContaining([...texts(before)]));
    expect(host.stored.count("entry", "ses_0_1")).toBe(0);
  });

  test("J22: a result that showed an instruction is held for good", async () => {
    const { host } = scenes.open({ hostPrune: "on" });
    await host.prompt(0, { call: { outcome: "sub" } });
    await host.goOn(0);
    await host.prompt(0);
    host.prune(0);
    host.world.nowMs += hour;
    expect(texts(sent(await host.prompt(0))).join()).toContain("Rule 1 of sub.");
  });

  test("J22: a blanked result in a kept tail shows nothing, so its instruction is in the Baseline", async () => {
    const { host } = scenes.open({ hostPrune: "on" });
    await host.prompt(0);
    await host.prompt(0, { call: { outcome: "sub" } });
    await host.goOn(0);
    await host.prompt(0);
    host.prune(0);
    const call = sent(await host.compact(0, { tail: 4, goesOn: true }));
    expect(texts(call).join()).toContain("[Old tool result content cleared]");
    expect(call.system[1]).toContain("Rule 1 of sub.");
  });
});
