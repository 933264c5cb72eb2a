import { describe, expect, test } from "bun:test";
import { toMonotonicMs } from "../../src/session/session-state.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { entryRecord, epochRecord } from "../storage/records.ts";
import { added, Scenes, sent } from "./scenes.ts";

const scenes = new Scenes();
const DAY_MS = 86_400_000;

describe("a clock that jumps", () => {
  test("I1, I4: back and forth, between calls and over restarts: each change of the date is told once", async () => {
    const { host, path } = scenes.open();
    let former = sent(await host.prompt(0));
    for (const [index, days] of [1, -2, 0, 3, -3, 0, -1, 1].entries()) {
      host.world.nowMs += days * DAY_MS;
      if (index % 3 === 2) host.restart();
      const call = sent(await host.prompt(0));
      const update = days === 0 ? [] : [expect.stringContaining("Today's date is now")];
      expect(added(former, call).slice(2)).toEqual(update);
      former = call;
    }
    const driver = openBunDriver(path);
    const rows = driver.all("SELECT sent_at_ms FROM turn ORDER BY seq");
    driver.close();
    const moments = rows.map((row) => Number(row.sent_at_ms));
    expect(moments).toEqual(moments.toSorted((left, right) => left - right));
    expect(new Set(moments).size).toBe(moments.length);
    expect(moments.length).toBeGreaterThan(6);
  });

  test("J18: back, after a crash took the row of an epoch's only call: the epoch of the last call is known", async () => {
    const { host } = scenes.open();
    const first = sent(await host.prompt(0));
    host.world.nowMs += DAY_MS;
    await host.compact(0, { goesOn: true, call: { fault: { kind: "kill" } } });
    host.world.nowMs -= DAY_MS;
    host.undo(0, 2);
    expect(sent(await host.prompt(0)).system).toEqual(first.system);
    await host.compact(0, { outcome: "fails", tail: 1 });
    expect(sent(await host.prompt(0)).system).toEqual(first.system);
  });
});

describe("the clock of a session", () => {
  const ledger = { epochs: [epochRecord(1)], entries: [], damagedSeqs: [] };
  const lastTurn = { epochSeq: 1, providerId: "p", modelId: "m", sentAtMs: 500_000 };
  const { startedAtMs } = epochRecord(1);

  test("is the machine's where that goes on", () => {
    expect(toMonotonicMs(900_000, { lastTurn, ledger })).toBe(900_000);
  });

  test("goes on from the last turn, epoch and entry where that does not", () => {
    const { decidedAtMs } = entryRecord(2, 1);
    const entries = [entryRecord(2, 1)];
    expect(toMonotonicMs(7, { lastTurn, ledger })).toBe(500_001);
    expect(toMonotonicMs(500_000, { lastTurn, ledger })).toBe(500_001);
    expect(toMonotonicMs(7, { lastTurn: null, ledger })).toBe(startedAtMs + 1);
    expect(
      toMonotonicMs(7, { lastTurn: null, ledger: { epochs: [], entries, damagedSeqs: [] } }),
    ).toBe(decidedAtMs + 1);
    expect(
      toMonotonicMs(7, { lastTurn: null, ledger: { epochs: [], entries: [], damagedSeqs: [] } }),
    ).toBe(7);
  });
});
