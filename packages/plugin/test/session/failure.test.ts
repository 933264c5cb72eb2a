import { describe, expect, test } from "bun:test";
import { toSourceKey } from "../../src/context/key.ts";
import type { NamedDraft } from "../../src/ledger/entry.ts";
import { recordShown } from "../../src/ledger/record-shown.ts";
import { selectUnstored } from "../../src/session/pending-drafts.ts";
import type { Call } from "../model/call.ts";
import type { Host } from "../model/host.ts";
import type { Fault } from "../model/steps.ts";
import { Scenes, sent, texts } from "./scenes.ts";

const scenes = new Scenes();
const DAY_MS = 86_400_000;
const shape = { location: "app", agent: "build", model: "opus", own: null } as const;

describe("a storage that fails", () => {
  const broken = (atCall: number): Fault => ({ kind: "error", atCall });

  test("at an epoch's first call leaves the host's own request, and the next call begins it", async () => {
    const { host } = scenes.open();
    await host.prompt(1);
    const call = sent(await host.prompt(0, { call: { fault: broken(1) } }));
    expect(call.live).toBe(true);
    expect(call.system).toEqual([host.world.systemString(shape)]);
    expect(sent(await host.prompt(0)).opened?.cause).toBe("first");
  });

  test("K3: mid-epoch replays what is committed from memory and admits nothing new", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    host.world.nowMs += DAY_MS;
    const before = sent(await host.prompt(0));
    host.change({ of: "file", place: "app", state: 2 });
    // data_version is read first, then the commit begins.
    const call = sent(await host.prompt(0, { call: { fault: broken(2) } }));
    expect(call.disturbed).toBe(true);
    expect(call.inserted).toEqual(before.inserted);
    expect(texts(call).slice(0, texts(before).length)).toEqual([...texts(before)]);
    expect(host.process.failures).toHaveLength(1);
    expect(sent(await host.prompt(0)).updates).toHaveLength(2);
  });

  test("K3: a database that can't be asked for others' writes changes nothing that is sent", async () => {
    const { host } = scenes.open();
    const before = sent(await host.prompt(0));
    const call = sent(await host.prompt(0, { call: { fault: broken(1) } }));
    expect(host.process.failures).toHaveLength(1);
    expect(call.system).toEqual(before.system);
    expect(call.live).toBe(false);
  });

  test("K3: a reminder that could not be recorded is held from the next call on", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    await host.prompt(0, { agent: "plan", call: { fault: broken(2) } });
    const call = sent(await host.prompt(0, { agent: "plan" }));
    expect(texts(call).filter((text) => text.includes("Plan Mode"))).toHaveLength(2);
  });

  test("K3: an instruction whose showing could not be recorded is watched from the next call on", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: { outcome: "sub" } });
    await host.goOn(0, { fault: broken(2) });
    await host.prompt(0);
    host.change({ of: "file", place: "sub", state: 2 });
    expect(sent(await host.prompt(0)).updates[0]).toContain("Rule 2 of sub.");
  });
});

describe("an epoch that an undo brings back", () => {
  test("K3, I10: still has on record what could not be recorded in it at first", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: { outcome: "deep" } });
    await host.goOn(0, { fault: { kind: "error", atCall: 2 } });
    await host.compact(0, { goesOn: true });
    host.undo(0, 2);
    host.change({ of: "file", place: "deep", state: 2 });
    expect(sent(await host.prompt(0)).updates[0]).toContain("Rule 2 of deep.");
  });
});

describe("what could not be stored", () => {
  for (const [storage, fault] of [
    ["works", null],
    ["fails", { kind: "error", atCall: 2 }],
  ] as const) {
    test(`I10: an instruction whose showing an undo took back is in no later Baseline, where storage ${storage}`, async () => {
      const { host } = scenes.open();
      await host.prompt(0);
      await host.prompt(0, { call: { outcome: "sub" } });
      await host.goOn(0, { fault });
      host.undo(0, 1);
      await host.prompt(0);
      await host.compact(0);
      const opened = sent(await host.prompt(0));
      expect(opened.opened?.cause).toBe("compacted");
      expect(JSON.stringify(opened.system)).not.toContain("of sub");
    });
  }

  test("waits once, however often it can't be stored", () => {
    const anchor = { messageId: "msg_1", partId: "prt_1" };
    const witness = (text: string): NamedDraft => ({
      ...{ origin: recordShown.name, proposal: null, anchor, edit: null, delta: {} },
      announced: [{ key: toSourceKey("core/nested-instructions/sub"), text }],
    });
    const first = selectUnstored(null, 1, [witness("first")]);
    const second = selectUnstored(first, 1, [witness("second")]);
    expect(second.drafts).toEqual([witness("second")]);
    expect(selectUnstored(second, 1, []).drafts).toEqual([witness("second")]);
  });
});

describe("the second hook", () => {
  test("J5: sends the stored Baseline at each retry, whatever the world does in between", async () => {
    const { host } = scenes.open();
    const first = sent(await host.prompt(0));
    await host.instance(0).runtime.projectHistory(host.session(0).rows.visible());
    host.world.nowMs += DAY_MS;
    const retries = [1, 2].map(() => host.compose(0, [host.world.systemString(shape)]));
    expect(retries).toEqual([first.system, first.system]);
  });

  test("I15: leaves a string that it can't read as it is, also at a first call", async () => {
    const { host } = scenes.open();
    host.session(0).rows.user({ agent: "build", model: "opus" }, 1, "hello");
    await host.instance(0).runtime.projectHistory(host.session(0).rows.visible());
    const strange = ["Something that no host renders."];
    expect(host.compose(0, strange)).toBe(strange);
    expect(sent(await host.prompt(0)).opened?.cause).toBe("first");
  });

  test("I14: a title call between the hooks goes out as it is and takes nothing away", async () => {
    const { host } = scenes.open();
    const call = sent(await host.prompt(0, { call: { title: true } }));
    expect(call.opened?.cause).toBe("first");
    expect(host.stored.count("turn", "ses_0_1")).toBe(1);
  });

  test("I14: of a session that is not known nothing is touched", () => {
    const { host } = scenes.open();
    const strings = [host.world.systemString(shape)];
    expect(host.compose(1, strings)).toBe(strings);
  });
});

describe("a crash", () => {
  /** What comes before the call, the call itself, and what its boundary has to write. */
  const situations: Readonly<
    Record<string, (host: Host, fault: Fault | null) => Promise<Call | null>>
  > = {
    "a first call": (host, fault) => host.prompt(0, { call: { fault } }),
    "an update": async (host, fault) => {
      await host.prompt(0);
      host.world.nowMs += DAY_MS;
      return host.prompt(0, { call: { fault } });
    },
    "a reminder and an update": async (host, fault) => {
      await host.prompt(0);
      host.world.nowMs += DAY_MS;
      return host.prompt(0, { agent: "plan", call: { fault } });
    },
    "an instruction that was shown": async (host, fault) => {
      await host.prompt(0, { call: { outcome: "sub" } });
      host.change({ of: "file", place: "sub", state: 2 });
      return host.goOn(0, { fault });
    },
    "a new epoch": async (host, fault) => {
      await host.prompt(0, { agent: "plan" });
      return host.compact(0, { goesOn: true, call: { fault } });
    },
  };

  for (const [situation, play] of Object.entries(situations)) {
    test(`I7, I2: at any storage call of ${situation} leaves before or after: the same call sends the same bytes`, async () => {
      const calm = scenes.open();
      const expected = sent(await play(calm.host, null));
      let crashes = 0;
      for (let atCall = 1; atCall < 40; atCall += 1) {
        const { host, close } = scenes.open();
        const strikes = atCall % 2 === 0 ? "before" : "after";
        const fault = { kind: "crash", atCall: Math.ceil(atCall / 2), strikes } as const;
        const call = await play(host, fault);
        if (call === null) crashes += 1;
        // The row of the call that died is taken back, so that the very same call can be made again.
        const again = call ?? sent(await repeated(host));
        expect(texts(again)).toEqual(texts(expected));
        close();
        if (crashes > 0 && call !== null) break;
      }
      expect(crashes).toBeGreaterThan(2);
    });
  }

  async function repeated(host: Host): Promise<Call | null> {
    const { rows } = host.session(0);
    rows.removeFrom(rows.all.length - 1);
    host.session(0).working = true;
    return host.goOn(0);
  }
});
