import { describe, expect, spyOn, test } from "bun:test";
import * as z from "zod";
import type { SourceDefinition } from "../../src/context/source.ts";
import type { Host } from "../model/host.ts";
import type { Row } from "../model/rows.ts";
import { Scenes, sent } from "./scenes.ts";

const scenes = new Scenes();
const DAY_MS = 86_400_000;
const shape = { location: "app", agent: "build", model: "opus", own: null } as const;

/** A prompt that two processes are about to send: the history that the host gives to both. */
function bothAtOnce(host: Host): readonly Row[] {
  const { rows } = host.session(0);
  rows.user({ agent: "build", model: "opus" }, 1, "both at once");
  return rows.visible();
}

describe("two processes on one database", () => {
  test("K2: take up what the other has written, and send one history", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    host.useOtherProcess();
    host.world.nowMs += DAY_MS;
    expect(sent(await host.prompt(0)).updates).toHaveLength(1);
    host.useOtherProcess();
    const back = sent(await host.prompt(0));
    expect(back.updates).toHaveLength(1);
    expect(back.opened).toBeNull();
  });

  test("I6: what one saw long ago is not told over what the other has told since", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    host.useOtherProcess();
    host.change({ of: "skills", version: 2 });
    await host.prompt(0);
    expect(sent(await host.prompt(0)).updates).toHaveLength(1);
    host.useOtherProcess();
    expect(sent(await host.prompt(0)).updates).toHaveLength(1);
  });

  test("K2: what the other writes between a compaction and the first turn is taken up", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    host.useOtherProcess();
    await host.compact(0);
    host.useOtherProcess();
    const opened = sent(await host.prompt(0));
    host.useOtherProcess();
    const call = sent(await host.prompt(0));
    expect(call.opened).toBeNull();
    expect(call.system).toEqual(opened.system);
  });

  test("K2: a lost race within an epoch replays what the winner has told", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    host.useOtherProcess();
    await host.prompt(0);
    host.world.nowMs += DAY_MS;
    const array = bothAtOnce(host);
    const one = host.instance(0).runtime;
    host.useOtherProcess();
    const other = host.instance(0).runtime;
    const [left, right] = await Promise.all([
      one.projectHistory(array),
      other.projectHistory(array),
    ]);
    expect(JSON.stringify(left)).toBe(JSON.stringify(right));
    expect(JSON.stringify(left)).toContain("Sun Nov 22 2026");
    expect(host.stored.count("entry", "ses_0_1")).toBe(1);
  });

  test("K2, I4: a boundary of another session in between does not make a lost race one that is won", async () => {
    const gate = Promise.withResolvers<void>();
    let isOpen = true;
    const slow: SourceDefinition<string> = {
      key: "team/slow",
      schema: z.string(),
      load: async () => {
        if (isOpen) return "same";
        isOpen = true;
        await gate.promise;
        return "same";
      },
      baseline: (value) => value,
      update: (_previous, value) => value,
    };
    const { host } = scenes.open({ configured: [slow] });
    await host.prompt(0);
    await host.prompt(1);
    host.useOtherProcess();
    await host.prompt(0);
    host.world.nowMs += DAY_MS;
    const array = bothAtOnce(host);
    const other = host.instance(0).runtime;
    host.useOtherProcess();
    const one = host.instance(0).runtime;
    isOpen = false;
    const waiting = one.projectHistory(array);
    const won = await other.projectHistory(array);
    await one.projectHistory(host.session(1).rows.visible());
    gate.resolve();
    expect(JSON.stringify(await waiting)).toBe(JSON.stringify(won));
    expect(JSON.stringify(won)).toContain("Sun Nov 22 2026");
    expect(host.stored.count("entry", "ses_0_1")).toBe(1);
  });

  test("K2: a boundary of another session between the hooks of a first call does not make its epoch a second one", async () => {
    const { host } = scenes.open();
    await host.prompt(1);
    const array = bothAtOnce(host);
    const strings = [host.world.systemString(shape)];
    await host.instance(0).runtime.projectHistory(array);
    host.useOtherProcess();
    await host.instance(0).runtime.projectHistory(array);
    host.compose(0, strings);
    host.useOtherProcess();
    await host.instance(1).runtime.projectHistory(host.session(1).rows.visible());
    expect(host.compose(0, strings)).toBe(strings);
    expect(host.stored.count("epoch", "ses_0_1")).toBe(1);
  });

  test("K2: what was sent and is not yet on record is not forgotten for what another process writes", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    const { runtime, database } = host.instance(0);
    const { rows, id } = host.session(0);
    const author = { agent: "build", model: "opus" } as const;
    const send = async (step: number) => {
      host.world.nowMs += 1_000;
      rows.user(author, step, `prompt ${step}`);
      await runtime.projectHistory(rows.visible());
      host.compose(0, [host.world.systemString(shape)]);
      expect(runtime.readCallState(id).kind).toBe("sent");
      rows.assistant(author, step, { finish: "stop" });
    };
    await send(1);
    host.useOtherProcess();
    await host.prompt(1);
    host.useOtherProcess();
    await send(2);
    runtime.turns.flush();
    const turns = database.turns.recent(id, 9).toReversed();
    expect(turns.map(({ bust }) => bust)).toEqual([null, null, null]);
    const ids = turns.flatMap(({ newMessageIds }) => newMessageIds);
    expect(ids).toHaveLength(new Set(ids).size);
  });

  test("I20: what another process writes of other sessions makes no ledger be read anew", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    const { runtime, database } = host.instance(0);
    const load = spyOn(database.ledger, "loadSound");
    host.useOtherProcess();
    await host.prompt(1);
    host.useOtherProcess();
    await runtime.projectHistory(host.session(0).rows.visible());
    expect(load).not.toHaveBeenCalled();
    host.useOtherProcess();
    host.world.nowMs += DAY_MS;
    await host.prompt(0);
    host.useOtherProcess();
    await runtime.projectHistory(host.session(0).rows.visible());
    expect(load).toHaveBeenCalledTimes(1);
  });

  test("K2: a lost race for an epoch sends the host's own string, and the winner's Baseline from then on", async () => {
    const { host } = scenes.open();
    const array = bothAtOnce(host);
    const strings = [host.world.systemString(shape)];
    await host.instance(0).runtime.projectHistory(array);
    host.useOtherProcess();
    await host.instance(0).runtime.projectHistory(array);
    const won = host.compose(0, strings);
    host.useOtherProcess();
    expect(host.compose(0, strings)).toBe(strings);
    await host.instance(0).runtime.projectHistory(array);
    expect(host.compose(0, strings)).toEqual(won);
    expect(host.stored.count("epoch", "ses_0_1")).toBe(1);
  });
});
