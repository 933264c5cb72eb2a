import { describe, expect, test } from "bun:test";
import type { HostPart } from "../../src/ledger/message.ts";
import { added, Scenes, sent, texts, tools } from "./scenes.ts";

const scenes = new Scenes();
const FLOOD = { outcome: "flood" } as const;
const floods = (call: Parameters<typeof texts>[0]) =>
  texts(call).filter((text) => text.includes("error "));

describe("failed calls whose text is over the limit", () => {
  test("I17, I1: the text is bounded before it is first sent, and stays as it was sent", async () => {
    const { host } = scenes.open();
    const first = sent(await host.prompt(0, { call: FLOOD }));
    const second = sent(await host.goOn(0));
    expect(added(first, second).join()).toMatch(/error \d+ of \S+\.+ … in file \d+/);
    expect(added(first, second).join().length).toBeLessThan(500);
    const third = sent(await host.prompt(0));
    expect(floods(third)).toEqual([...floods(second)]);
  });

  test("I23: the call that it is first sent in is measured with the bounded text", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: FLOOD });
    await host.goOn(0);
    const { projected } = host.instance(0).measured;
    expect(JSON.stringify(projected)).toMatch(/error \d+ of \S+\.+ … in file \d+/);
    expect(JSON.stringify(projected).length).toBeLessThan(2_000);
  });

  test("I2: a restart sends the same text, without another file", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: FLOOD });
    const before = sent(await host.goOn(0));
    host.restart();
    expect(floods(sent(await host.prompt(0)))).toEqual([...floods(before)]);
  });

  test("I11: what a compaction keeps is sent in the new epoch as it was in the former one", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: FLOOD });
    const before = sent(await host.goOn(0));
    await host.compact(0, { tail: 2 });
    const after = sent(await host.prompt(0));
    expect(floods(after)).toEqual([...floods(before)]);
    expect(floods(sent(await host.prompt(0)))).toEqual([...floods(before)]);
  });

  test("an epoch that a model switch begins keeps the text of a call that was sent before", async () => {
    const { host } = scenes.open({ onModelSwitch: "fold" });
    await host.prompt(0, { call: FLOOD });
    const before = sent(await host.goOn(0));
    const after = sent(await host.prompt(0, { model: "gpt" }));
    expect(floods(after)).toEqual([...floods(before)]);
    expect(floods(sent(await host.prompt(0, { model: "gpt" })))).toEqual([...floods(before)]);
  });

  test("I7: where the commit fails the host's own text goes, and is left as it was sent", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: FLOOD });
    const raw = sent(await host.goOn(0, { fault: { kind: "error", atCall: 1 } }));
    const next = sent(await host.prompt(0));
    expect(floods(next)).toEqual([...floods(raw)]);
  });

  test("I7: what could not be bounded in time is bounded in the next epoch's first call", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: FLOOD });
    const raw = sent(await host.goOn(0, { fault: { kind: "error", atCall: 2 } }));
    expect(floods(raw).join().length).toBeGreaterThan(500);
    await host.compact(0, { tail: 2 });
    expect(floods(sent(await host.prompt(0))).join().length).toBeLessThan(200);
  });

  test("a former history is bounded in the epoch's very first call", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: FLOOD });
    await host.goOn(0);
    host.fork(0);
    const first = sent(await host.prompt(0));
    expect(floods(first).join().length).toBeLessThan(200);
    expect(floods(sent(await host.prompt(0)))).toEqual([...floods(first)]);
  });

  for (const [name, metadata, shown] of [
    [
      "J22: of a call that was interrupted it is what it had put out",
      { interrupted: true },
      "output",
    ],
    ["of another call it is the error, whatever its metadata holds", {}, "error"],
  ] as const) {
    test(name, async () => {
      const { host } = scenes.open();
      await host.prompt(0, { call: FLOOD });
      const { parts = [] } = host.session(0).rows.all.at(-1) ?? {};
      const output = "output ".repeat(100);
      const error = "error ".repeat(100);
      const [part] = parts;
      if (!part) throw new Error("a failed call");
      parts[0] = {
        ...part,
        state: { status: "error", input: {}, error, metadata: { ...metadata, output } },
      } as HostPart;
      const call = sent(await host.goOn(0));
      expect(texts(call).at(-1)).toMatch(new RegExp(`^result: \\S+ ${shown} .*in file 1$`));
    });
  }

  test("failed calls within the limit are left alone", async () => {
    const { host } = scenes.open();
    const first = sent(await host.prompt(0, ...tools("bash").map((call) => ({ call }))));
    expect(added(first, sent(await host.goOn(0))).join()).not.toContain("in file");
  });
});
