import { describe, expect, test } from "bun:test";
import { Scenes, sent, texts } from "./scenes.ts";

const scenes = new Scenes();

describe("S6: a part that is gone while its message stands", () => {
  test("I10: takes the instruction with it that it showed", async () => {
    // The model of the host removes no parts, and its invariants are those of whole messages.
    const { host, close } = scenes.stage.open();
    await host.prompt(0);
    await host.prompt(0, { call: { outcome: "sub" } });
    await host.goOn(0);
    const { rows } = host.session(0);
    const reader = rows.all.find(({ parts }) => parts.some(({ type }) => type === "tool"));
    reader?.parts.splice(0, 1);
    host.change({ of: "file", place: "sub", state: 2 });
    const call = sent(await host.prompt(0));
    expect(texts(call).join("\n")).not.toContain("of sub.");
    expect(call.updates).toEqual([]);
    close();
  });
});

describe("S11: what replay makes", () => {
  test("is remembered as sent: a message that an update was put into", async () => {
    const { host } = scenes.open();
    const { runtime, database } = host.instance(0);
    await host.prompt(0, { call: { outcome: "bash" } });
    host.world.nowMs += 86_400_000;
    const call = sent(await host.goOn(0));
    runtime.turns.flush();
    expect(call.updates).toHaveLength(1);
    const [epoch] = host.stored.epochs("ses_0_1");
    const ids = database.turns.sentMessageIds(host.session(0).id, epoch?.seq ?? 0);
    expect([...ids].toSorted()).toEqual(call.messages.map(({ info }) => info.id).toSorted());
  });

  test("is remembered as sent: a record in the user's message that it joins", async () => {
    const { host } = scenes.open({ history: "folds" });
    const { runtime, database } = host.instance(0);
    await host.prompt(0, { call: { outcome: "bash" } });
    await host.goOn(0);
    await host.prompt(0);
    await host.prompt(0);
    const call = sent(await host.prompt(0, { call: { full: true } }));
    runtime.turns.flush();
    const records = call.messages.filter(({ parts }) => parts.some(({ id }) => /_sr_/.test(id)));
    expect(records.map(({ info }) => info.role)).toEqual(["user"]);
    const epoch = host.stored.epochs("ses_0_1").at(-1);
    const ids = database.turns.sentMessageIds(host.session(0).id, epoch?.seq ?? 0);
    for (const { info } of call.messages) expect([...ids]).toContain(info.id);
  });
});
