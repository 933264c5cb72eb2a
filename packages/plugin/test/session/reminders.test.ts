import { describe, expect, test } from "bun:test";
import type { Row } from "../model/rows.ts";
import { Scenes, sent, texts } from "./scenes.ts";

const scenes = new Scenes();

const PLAN = "<system-reminder>\n# Plan Mode - System Reminder\n\nPlan only.\n</system-reminder>";
const SWITCH =
  "<system-reminder>\nYour operational mode has changed from plan to build.\nEdit.\n</system-reminder>";
const shape = { location: "app", agent: "build", model: "opus", own: null } as const;

function push(row: Row | undefined, id: string, text: string): void {
  if (!row) throw new Error("a row to push into");
  const { id: messageID, sessionID } = row.info;
  row.parts.push({ id, messageID, sessionID, type: "text", text, synthetic: true } as never);
}

describe("reminders that the host holds in memory only", () => {
  test("what a user writes in their words is no reminder", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    const { rows } = host.session(0);
    rows.say = () => PLAN;
    await host.prompt(0);
    expect(host.stored.count("entry", "ses_0_1")).toBe(0);
  });

  test("J10: two in one message are both held", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    const { rows } = host.session(0);
    const { runtime } = host.instance(0);
    rows.user({ agent: "build", model: "opus" }, host.world.nowMs, "both");
    const array = rows.visible();
    push(array.at(-1), "prt_in_memory_1", PLAN);
    push(array.at(-1), "prt_in_memory_2", SWITCH);
    await runtime.projectHistory(array);
    host.compose(0, [host.world.systemString(shape)]);
    const later = texts(sent(await host.prompt(0)));
    expect(later.slice(-4)).toEqual([
      "user: both",
      `user: ${PLAN}`,
      `user: ${SWITCH}`,
      expect.stringMatching(/^user: prompt/),
    ]);
  });

  test("J10: one that joins another where the cache is cold is held beside it", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    const { rows } = host.session(0);
    rows.user({ agent: "build", model: "opus" }, host.world.nowMs, "both");
    for (const reminders of [[PLAN], [PLAN, SWITCH]]) {
      const array = rows.visible();
      for (const text of reminders) push(array.at(-1), `prt_in_memory_${text.length}`, text);
      await host.instance(0).runtime.projectHistory(array);
      host.compose(0, [host.world.systemString(shape)]);
      host.world.nowMs += 3_600_000;
    }
    expect(host.stored.texts("ses_0_1")).toEqual([PLAN, SWITCH]);
  });

  test("J10: one that an epoch begins with in the middle of a turn is held where the prompt is", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { agent: "plan", call: { outcome: "bash" } });
    host.move(0);
    host.session(0).working = true;
    const opened = sent(await host.goOn(0));
    expect(opened.opened?.cause).toBe("moved");
    const later = sent(await host.prompt(0, { agent: "plan" }));
    expect(texts(later).slice(0, texts(opened).length)).toEqual([...texts(opened)]);
  });
});
