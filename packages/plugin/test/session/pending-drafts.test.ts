import { describe, expect, test } from "bun:test";
import { instructions, Scenes, sent, texts } from "./scenes.ts";

const scenes = new Scenes();
/** The commit: what others have written is asked for first. */
const broken = { kind: "error", atCall: 2 } as const;

describe("what the host showed and could not be stored at first", () => {
  test("K3: is stored once at the next boundary, though that sees it too", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: { outcome: "sub" } });
    await host.goOn(0, { fault: broken });
    await host.prompt(0);
    expect(host.stored.count("entry", "ses_0_1")).toBe(1);
  });

  test("K3, I8: is in the Baseline of a compaction that comes first, by its text where it can't be read", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: { outcome: "sub" } });
    await host.goOn(0, { fault: broken });
    host.change({ of: "file", place: "sub", state: "unreadable" });
    const after = sent(await host.compact(0, { goesOn: true }));
    expect(after.system[1]).toContain(instructions(host.world.path("sub"), "Rule 1 of sub."));
  });

  test("K3, I12: is in no Baseline of a later epoch than the one in which it was shown", async () => {
    const { host } = scenes.open({ onModelSwitch: "fold" });
    await host.prompt(0);
    await host.prompt(0, { call: { outcome: "sub" } });
    await host.goOn(0, { fault: broken });
    host.undo(0, 1);
    expect(sent(await host.prompt(0, { model: "gpt" })).opened?.cause).toBe("model");
    const after = sent(await host.compact(0, { goesOn: true }));
    expect(after.opened?.cause).toBe("compacted");
    expect(after.system.join("\n")).not.toContain("of sub.");
  });

  test("K3: is stored once where another process has stored it meanwhile", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: { outcome: "sub" } });
    await host.goOn(0, { fault: broken });
    host.change({ of: "file", place: "sub", state: 2 });
    host.useOtherProcess();
    expect(sent(await host.prompt(0)).updates).toHaveLength(1);
    host.useOtherProcess();
    expect(sent(await host.prompt(0)).updates).toHaveLength(1);
    expect(host.stored.count("entry", "ses_0_1")).toBe(2);
    expect(sent(await host.prompt(0)).updates).toHaveLength(1);
  });

  test("I1: a reminder that two calls could not store is given up: the second was sent without it", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    await host.prompt(0, { agent: "plan", call: { fault: broken } });
    const second = sent(await host.prompt(0, { agent: "plan", call: { fault: broken } }));
    const third = sent(await host.prompt(0, { agent: "plan" }));
    const count = (call: typeof second) =>
      texts(call).filter((text) => text.includes("Plan Mode")).length;
    expect(count(second)).toBe(1);
    expect(count(third)).toBe(2);
    expect(host.stored.texts("ses_0_1").filter((text) => text.includes("Plan Mode"))).toHaveLength(
      2,
    );
  });
});
