import { expect, test } from "bun:test";
import { selectShown } from "../../src/session/view.ts";
import type { Host } from "../model/host.ts";
import { Scenes, sent } from "./scenes.ts";

// What reports call standing is what replay shows: the same rule, on the history that the host lists.
const scenes = new Scenes();

function loadLedger(host: Host) {
  return host.instance(0).database.ledger.load(host.session(0).id);
}

test("an update stands; after an undo of its message it does not", async () => {
  const { host } = scenes.open();
  await host.prompt(0);
  host.change({ of: "file", place: "app", state: 2 });
  const call = sent(await host.prompt(0));
  const ledger = loadLedger(host);
  const [update] = ledger.entries;
  expect([...selectShown(ledger, call.array).entrySeqs]).toEqual([update?.seq ?? 0]);
  const before = selectShown(ledger, call.array.slice(0, 1));
  const [first] = call.array;
  expect(before).toEqual({
    epochSeq: ledger.epochs[0]?.seq ?? 0,
    entrySeqs: new Set(),
    messageIds: new Set([first?.info.id ?? ""]),
  });
});

test("I28: where a fold has hidden an update, its epoch is the fold's, and the update does not stand", async () => {
  const { host } = scenes.open({ history: "folds" });
  await host.prompt(0);
  host.change({ of: "file", place: "app", state: 2 });
  await host.prompt(0);
  await host.prompt(0);
  await host.prompt(0);
  const call = sent(await host.prompt(0, { call: { full: true } }));
  const ledger = loadLedger(host);
  const shown = selectShown(ledger, call.array);
  expect(shown.epochSeq).toBe(ledger.epochs.at(-1)?.seq ?? 0);
  const standing = ledger.entries.filter(({ seq }) => shown.entrySeqs.has(seq));
  expect(standing.map(({ edit }) => edit?.verb)).toEqual(["fold"]);
});

test("without messages no epoch has begun that a message starts", () => {
  expect(selectShown({ epochs: [], entries: [] }, [])).toEqual({
    epochSeq: null,
    entrySeqs: new Set(),
    messageIds: new Set(),
  });
});
