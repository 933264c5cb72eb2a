import { expect, test } from "bun:test";
import { createFateLookup, type RepeatedRead, ReReadCosts } from "../../src/history/re-read.ts";
import { renderStub } from "../../src/history/stub.ts";
import type { HostMessage, ToolPart } from "../../src/ledger/message.ts";
import { answers, called } from "./calls.ts";
import { settings } from "./simulation.ts";

const again: RepeatedRead = {
  ...{ key: "read a", by: "call", place: "beyond", formerId: "former", laterId: "later", cost: 10 },
};

/** Fates by part id; all that isn't named stands. */
function regrets(fates: Readonly<Record<string, "dropped" | "folded">>): ReReadCosts {
  return new ReReadCosts((partId) => fates[partId] ?? "stands");
}

test("asking again for what was dropped or folded beyond the tail is regretted, with its cost", () => {
  for (const fate of ["dropped", "folded"] as const) {
    const all = regrets({ former: fate });
    expect([all.add(again), all.add({ ...again, cost: 5 }), all.total]).toEqual([10, 5, 15]);
    expect(all.add({ ...again, key: "read b", cost: 1 })).toBe(1);
    expect([all.add({ ...again, place: "tail" }), all.total]).toEqual([0, 16]);
  }
});

test("of two that are both in a fold nobody knows whether the former was missed", () => {
  const all = regrets({ former: "folded", later: "folded" });
  expect([all.add(again), all.total]).toEqual([0, 0]);
  expect(regrets({ former: "dropped", later: "folded" }).add(again)).toBe(10);
});

test("a call that comes though its result stands is a habit: it was none before, and is none later", () => {
  const all = new ReReadCosts((partId) => (partId === "standing" ? "stands" : "dropped"));
  all.add(again);
  all.add({ ...again, key: "read b", cost: 3 });
  expect(all.add({ ...again, formerId: "standing" })).toBe(0);
  expect(all.total).toBe(3);
  expect(all.add(again)).toBe(0);
  expect(all.add({ ...again, key: "read b", cost: 3 })).toBe(3);
});

test("an expansion of what lies beyond the tail is regretted, whatever became of it", () => {
  const all = regrets({});
  expect(all.add({ ...again, by: "expansion" })).toBe(10);
  expect(all.add({ ...again, by: "expansion", place: "tail" })).toBe(0);
  expect(all.total).toBe(10);
});

test("what became of a result is read from what is sent: it stands, has a stub, or is in a fold", () => {
  const [kept, spent, dead] = answers(
    called("bash", { command: "a" }, "a result"),
    called("bash", { command: "b" }, "another"),
    called("bash", { command: "c" }, "a third"),
  );
  const stubbed = (message: HostMessage | undefined, gone: "spent" | "repeated") => {
    if (!message) throw new Error("no message");
    const [part] = message.parts as readonly ToolPart[];
    if (!part) throw new Error("no part");
    const text = renderStub(part, "", gone, settings);
    return { ...message, parts: [{ ...part, state: { ...part.state, output: text } }] };
  };
  const sent = [kept, stubbed(spent, "spent"), stubbed(dead, "repeated")] as HostMessage[];
  const findFate = createFateLookup(sent);
  expect(["m0.0", "m1.0", "m2.0", "m3.0"].map(findFate)).toEqual([
    ...(["stands", "dropped", "stands", "folded"] as const),
  ]);
});
