import { describe, expect, test } from "bun:test";
import { Scenes, sent } from "./scenes.ts";

// What the next call would be decided on is what it then is decided on.
const scenes = new Scenes();
const full = { call: { full: true } };

type Host = ReturnType<Scenes["open"]>["host"];

async function next(host: Host) {
  const { id, rows } = host.session(0);
  const call = await host.instance(0).runtime.nextCall(id, rows.all);
  if (!call) throw new Error("a next call");
  return call;
}

const ids = (messages: readonly { readonly info: { readonly id: string } }[]) =>
  messages.map(({ info }) => info.id);

describe("a session's next call", () => {
  test("has the history with what is folded now, and what was sent of it", async () => {
    const { host } = scenes.open({ history: "folds" });
    for (let prompt = 0; prompt < 3; prompt++) await host.prompt(0);
    const call = sent(await host.prompt(0, full));
    const { messages, projected, standing, watermark } = await next(host);
    expect(standing.map(({ edit }) => edit?.verb)).toEqual(["fold"]);
    expect(projected.length).toBeLessThan(messages.length);
    expect(watermark?.messageId).toBe(ids(call.array).at(-1));
  });

  test("begins with a finished compaction, as the host sends it", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    await host.prompt(0);
    await host.compact(0);
    await host.prompt(0);
    const { messages } = await next(host);
    expect(messages[0]?.parts.map(({ type }) => type)).toEqual(["compaction"]);
    expect(ids(messages)).toEqual(ids(host.session(0).rows.visible()));
  });

  test("is there after a restart; a session without a prompt has none", async () => {
    const { host } = scenes.open();
    expect(await host.instance(0).runtime.nextCall(host.session(0).id, [])).toBeNull();
    await host.prompt(0);
    host.restart();
    expect((await next(host)).watermark).not.toBeNull();
  });
});
