import { describe, expect, test } from "bun:test";
import type { BoundaryDecision } from "../../src/ledger/entry.ts";
import { Scenes, sent } from "./scenes.ts";

// What a boundary has put on record is reported once, before it is sent, with what it was decided on.
const scenes = new Scenes();
const full = { call: { full: true } };

type Host = ReturnType<Scenes["open"]>["host"];

const verbs = ({ entries }: Pick<BoundaryDecision, "entries">) =>
  entries.map(({ edit }) => edit?.verb);
const decidedBy = (host: Host) => host.instance(0).decided;

async function talk(host: Host): Promise<void> {
  await host.prompt(0, { call: { outcome: "bash" } });
  await host.goOn(0);
  await host.prompt(0);
  await host.prompt(0);
}

describe("what a boundary has put on record", () => {
  test("is reported with the boundary that decided it; a call without news reports nothing", async () => {
    const { host } = scenes.open({ history: "drops" });
    await talk(host);
    const before = decidedBy(host).length;
    const call = sent(await host.prompt(0, full));
    const [drop, ...others] = decidedBy(host).slice(before);
    expect(others).toEqual([]);
    expect(drop?.boundary.kind).toBe("pressure");
    expect(drop && verbs(drop)).toEqual(["replace"]);
    expect(drop?.epochSeq).toBe(1);
    const ids = call.array.map(({ info }) => info.id);
    expect(drop?.watermark?.messageId).toBe(ids.at(-3));
    expect(drop?.messages.map(({ info }) => info.id)).toEqual(ids);
    await host.prompt(0);
    expect(decidedBy(host)).toHaveLength(before + 1);
  });

  test("in a fold's epoch is what the fold's boundary decided, and nothing that was carried over", async () => {
    const { host } = scenes.open({ history: "folds" });
    host.change({ of: "file", place: "app", state: 1 });
    await host.prompt(0);
    host.change({ of: "file", place: "app", state: 2 });
    await talk(host);
    const call = sent(await host.prompt(0, full));
    expect(call.opened?.cause).toBe("folded");
    await host.prompt(0);
    await host.prompt(0, full);
    const folds = decidedBy(host).filter((one) => verbs(one).includes("fold"));
    expect(folds.map(({ boundary }) => boundary.kind)).toEqual(["pressure", "pressure"]);
    const [first, second] = folds;
    expect(first?.former.map(({ edit }) => edit?.verb)).toEqual(["insert"]);
    expect(first?.messages.map(({ info }) => info.id)).toEqual(
      call.array.map(({ info }) => info.id),
    );
    const { epochs } = host.instance(0).database.ledger.load(host.session(0).id);
    expect(first?.atMs).toBe(epochs[1]?.startedAtMs ?? 0);
    expect(second && verbs(second)).toEqual(["fold"]);
    expect(second?.former.map(({ edit }) => edit?.verb)).toEqual(["fold"]);
  });

  test("is not reported where it could not be stored", async () => {
    const met = new Set<string>();
    for (let atCall = 1; atCall <= 8; atCall++) {
      const { host } = scenes.open({ history: "drops" });
      await talk(host);
      const fault = { kind: "error", atCall } as const;
      const call = sent(await host.prompt(0, { call: { full: true, fault } }));
      expect(decidedBy(host).flatMap(verbs)).toEqual(call.edits.map(() => "replace"));
      met.add(`${call.edits.length} stored`);
      await host.prompt(0, full);
      expect(decidedBy(host).flatMap(verbs)).toEqual(["replace"]);
    }
    expect([...met].sort()).toEqual(["0 stored", "1 stored"]);
  });
});
