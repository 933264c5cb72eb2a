import { describe, expect, test } from "bun:test";
import type { Host } from "../model/host.ts";
import { plainSetting } from "../model/run.ts";
import { Scenes, sent, texts } from "./scenes.ts";

const scenes = new Scenes();
const shape = { location: "app", agent: "build", model: "opus", own: null } as const;
const author = { agent: "build", model: "opus" } as const;
const MINUTE_MS = 60_000;

/** A call whose turn is not yet written down; the checks of invariants don't hear of it. */
async function sendUnwritten(host: Host): Promise<string> {
  const { rows } = host.session(0);
  const { runtime } = host.instance(0);
  rows.user(author, host.world.nowMs, rows.say("prompt"));
  const messages = await runtime.projectHistory(rows.visible());
  host.compose(0, [host.world.systemString(shape)]);
  const row = rows.assistant(author, host.world.nowMs, { finish: "stop" });
  row.parts.push(rows.text(row, rows.say("answer")));
  return JSON.stringify(messages);
}

describe("the session's last call", () => {
  test("K2, J22: of another process keeps the cache warm", async () => {
    const { host } = scenes.open({ hostPrune: "on" });
    await host.prompt(0, { call: { outcome: "bash" } });
    await host.goOn(0);
    host.world.nowMs += 4 * MINUTE_MS;
    host.useOtherProcess();
    await host.prompt(0);
    host.prune(0);
    host.world.nowMs += 4 * MINUTE_MS;
    host.useOtherProcess();
    expect(texts(sent(await host.prompt(0))).join()).toContain("output 2 of ses_0_1");
  });

  test("K2, J22: of this process does too, where its turn is not written down and another one's entry is", async () => {
    const { host, close } = scenes.stage.open({ ...plainSetting, hostPrune: "on" });
    await host.prompt(0, { call: { outcome: "bash" } });
    await host.goOn(0);
    host.world.nowMs += 4 * MINUTE_MS;
    await sendUnwritten(host);
    host.useOtherProcess();
    host.change({ of: "file", place: "app", state: 2 });
    expect(await sendUnwritten(host)).toContain("Rule 2 of app.");
    host.prune(0);
    host.world.nowMs += 4 * MINUTE_MS;
    host.useOtherProcess();
    expect(texts(sent(await host.prompt(0))).join()).toContain("output 2 of ses_0_1");
    close();
  });
});

describe("what another process has told", () => {
  test("K2, I6: is taken back here, before its turn is written down", async () => {
    const { host, close } = scenes.stage.open();
    await host.prompt(0);
    host.useOtherProcess();
    host.change({ of: "file", place: "app", state: 2 });
    expect(await sendUnwritten(host)).toContain("Rule 2 of app.");
    host.useOtherProcess();
    host.change({ of: "file", place: "app", state: 1 });
    expect(sent(await host.prompt(0)).updates).toHaveLength(2);
    close();
  });
});

describe("a session that another process has deleted", () => {
  test("K2: begins again with nothing sent, also where a turn of it is not written down", async () => {
    const { host, close } = scenes.stage.open();
    await host.prompt(0);
    await sendUnwritten(host);
    host.useOtherProcess();
    host.instance(0).runtime.removeSession(host.session(0).id);
    host.useOtherProcess();
    const again = sent(await host.prompt(0));
    expect(again.opened?.cause).toBe("first");
    const [turn] = host.instance(0).database.turns.recent(host.session(0).id, 1);
    expect(turn?.newMessageIds).toEqual(again.array.map(({ info }) => info.id));
    close();
  });
});

describe("back in a former epoch", () => {
  test("J19, I1: what was sent in it counts as sent: a long failure stays as it went", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: { outcome: "flood" } });
    const raw = sent(await host.goOn(0, { fault: { kind: "error", atCall: 1 } }));
    await host.prompt(0);
    await host.compact(0, { goesOn: true });
    host.undo(0, 2);
    const back = sent(await host.prompt(0));
    expect(back.opened).toBeNull();
    const failures = (call: typeof raw) => texts(call).filter((text) => text.includes("error "));
    expect(failures(back)).toEqual(failures(raw));
    const { database } = host.instance(0);
    const [turn] = database.turns.recent(host.session(0).id, 1);
    expect(turn?.newMessageIds).toEqual(back.array.slice(-2).map(({ info }) => info.id));
  });
});
