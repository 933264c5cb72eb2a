import { describe, expect, test } from "bun:test";
import { isText } from "../../src/ledger/message.ts";
import { added, instructions, Scenes, sent, texts, update } from "./scenes.ts";

const scenes = new Scenes();
const DAY_MS = 86_400_000;

describe("a turn", () => {
  test("the first one inserts nothing: its Baseline is the host's own context", async () => {
    const { host } = scenes.open();
    const call = sent(await host.prompt(0));
    const { world } = host;
    const shape = { location: "app", agent: "build", model: "opus", own: null } as const;
    expect(call.system.join("\n")).toBe(world.systemString(shape));
    expect(texts(call).slice(call.system.length)).toEqual(["user: prompt 1 of ses_0_1"]);
    expect(call.opened?.cause).toBe("first");
  });

  test("without changes adds nothing but itself", async () => {
    const { host } = scenes.open();
    const first = sent(await host.prompt(0));
    const second = sent(await host.prompt(0));
    expect(added(first, second)).toEqual([
      "assistant: answer 2 of ses_0_1",
      "user: prompt 3 of ses_0_1",
    ]);
    expect(host.stored.count("entry", "ses_0_1")).toBe(0);
  });

  test("J2: an update follows the user's text", async () => {
    const { host } = scenes.open();
    const first = sent(await host.prompt(0));
    host.world.nowMs += DAY_MS;
    const second = sent(await host.prompt(0));
    expect(added(first, second)).toEqual([
      "assistant: answer 2 of ses_0_1",
      "user: prompt 3 of ses_0_1",
      `user: ${update("Today's date is now: Sun Nov 22 2026")}`,
    ]);
  });

  test("J2: an update within the loop stands in the newest result, after what the tool said", async () => {
    const { host } = scenes.open();
    const first = sent(await host.prompt(0, { call: { outcome: "bash" } }));
    host.world.nowMs += DAY_MS;
    const second = sent(await host.goOn(0));
    expect(added(first, second).slice(1)).toEqual([
      "result: call_prt_ses_0_1_00004 output 2 of ses_0_1",
      `added: ${update("Today's date is now: Sun Nov 22 2026")}`,
    ]);
    expect(second.messages.at(-1)?.info.role).toBe("assistant");
    expect(added(second, sent(await host.prompt(0)))).toHaveLength(2);
  });

  test("J3: two sources make one message, in the order of the sources", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    host.world.nowMs += DAY_MS;
    host.change({ of: "file", place: "app", state: 2 });
    const call = sent(await host.prompt(0));
    const path = (place: "global" | "app") => host.world.path(place);
    expect(call.updates).toEqual([
      update(
        "Today's date is now: Sun Nov 22 2026",
        "These instructions replace all previously loaded ambient instructions.",
        instructions(path("global"), "Rule 1 of global."),
        instructions(path("app"), "Rule 2 of app."),
      ),
    ]);
  });

  test("J4: what goes away is taken back, and told anew when it returns", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    host.change({ of: "skills", version: null });
    await host.prompt(0);
    const gone = sent(await host.prompt(0));
    expect(gone.updates).toEqual([
      update("Skill guidance is no longer available. Do not use any previously listed skill."),
    ]);
    host.change({ of: "skills", version: 2 });
    await host.prompt(0);
    expect(sent(await host.prompt(0)).updates).toHaveLength(2);
  });

  test("J20: what changes between the two hooks of a first call is in its Baseline, and told once", async () => {
    const { host } = scenes.open();
    const meanwhile = { of: "file", place: "app", state: 2 } as const;
    const first = sent(await host.prompt(0, { call: { meanwhile } }));
    expect(first.system.join("\n")).toContain("Rule 2 of app.");
    expect(sent(await host.prompt(0)).updates).toEqual([]);
  });

  test("J20: what changes between the two hooks of a later call is told with the next one", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    const meanwhile = { of: "file", place: "app", state: 2 } as const;
    expect(sent(await host.prompt(0, { call: { meanwhile } })).updates).toEqual([]);
    expect(sent(await host.prompt(0)).updates[0]).toContain("Rule 2 of app.");
  });

  test("J21: a prompt's own system text reaches its call and no other", async () => {
    const { host } = scenes.open();
    const first = sent(await host.prompt(0));
    const own = sent(await host.prompt(0, { own: "Be brief." }));
    expect(own.system).toEqual([...first.system, "Be brief."]);
    expect(sent(await host.prompt(0)).system).toEqual(first.system);
  });

  test("J21: where all is one string, the own text stands at its end", async () => {
    const { host } = scenes.open();
    const first = sent(await host.prompt(0, { model: "gpt" }));
    expect(first.system).toHaveLength(1);
    const own = sent(await host.prompt(0, { model: "gpt", own: "Be brief." }));
    expect(own.system).toEqual([`${first.system[0]}\nBe brief.`]);
  });

  test("J11: sessions side by side do not hear of each other", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    const beside = sent(await host.prompt(1));
    host.world.nowMs += DAY_MS;
    expect(sent(await host.prompt(0)).updates).toHaveLength(1);
    expect(added(beside, sent(await host.prompt(1)))).toHaveLength(3);
    expect(host.stored.count("entry", "ses_1_1")).toBe(1);
  });

  test("I13: no update is written into the host's rows, and all of ours is synthetic", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: { outcome: "bash" } });
    host.world.nowMs += DAY_MS;
    expect(sent(await host.goOn(0)).updates).toHaveLength(1);
    host.world.nowMs += DAY_MS;
    const call = sent(await host.prompt(0));
    const ours = call.messages.flatMap(({ parts }) => parts.filter(({ id }) => /_sr_/.test(id)));
    expect(ours).toHaveLength(1);
    expect(ours.every((part) => isText(part) && part.synthetic)).toBe(true);
    expect(JSON.stringify(host.session(0).rows.all)).not.toContain("system-update");
  });

  test("J5: a call that fails for good leaves no trace on the wire", async () => {
    const { host } = scenes.open();
    const first = sent(await host.prompt(0, { call: { outcome: "fail", retries: 3 } }));
    expect(added(first, sent(await host.prompt(0)))).toEqual(["user: prompt 2 of ses_0_1"]);
  });
});

describe("reminders that the host holds in memory only", () => {
  test("J10: plan mode there and back keeps the prefix", async () => {
    const { host } = scenes.open();
    const plan = sent(await host.prompt(0, { agent: "plan" }));
    expect(texts(plan).at(-1)).toContain("# Plan Mode - System Reminder");
    const again = sent(await host.prompt(0, { agent: "plan" }));
    const build = sent(await host.prompt(0));
    const history = texts(again).slice(2);
    expect(texts(build).slice(2, 2 + history.length)).toEqual(history);
    expect(texts(build).filter((text) => text.includes("Plan Mode"))).toHaveLength(2);
    expect(texts(build).filter((text) => text.includes("changed from plan"))).toHaveLength(1);
    await host.prompt(0);
  });

  test("are held once over the steps of a turn, under whatever id they come", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { agent: "plan", call: { outcome: "bash" } });
    await host.goOn(0, { outcome: "bash" });
    await host.goOn(0);
    expect(host.stored.texts("ses_0_1")).toHaveLength(1);
  });

  test("a part that another plugin pushes is left alone", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: { pushed: true } });
    expect(host.stored.count("entry", "ses_0_1")).toBe(0);
    const call = sent(await host.prompt(0));
    expect(texts(call).join()).not.toContain("A note of another plugin.");
  });
});
