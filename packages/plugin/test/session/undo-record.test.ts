import { describe, expect, test } from "bun:test";
import type { EntryRecord } from "../../src/storage/ledger-table.ts";
import type { Host } from "../model/host.ts";
import { Scenes, sent } from "./scenes.ts";

const scenes = new Scenes();

function entries(host: Host): readonly EntryRecord[] {
  return host.instance(0).database.ledger.load(host.session(0).id).entries;
}

/** What undos have put on record. */
function records(host: Host): readonly EntryRecord[] {
  return entries(host).filter(({ edit, partId }) => edit === null && partId === null);
}

describe("an undo on record", () => {
  test("I10: says again what stands, by its last text, and nothing of what the undo left alone", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    host.change({ of: "file", place: "app", state: 2 });
    await host.prompt(0);
    host.change({ of: "skills", version: 2 });
    await host.prompt(0);
    expect(sent(await host.prompt(0)).updates).toHaveLength(2);
    host.undo(0, 1);
    await host.prompt(0);
    expect(records(host)).toHaveLength(1);
    const [record] = records(host);
    expect(Object.keys(record?.delta ?? {})).toEqual(["core/skills"]);
    expect(record?.announced.map(({ key }) => String(key))).toEqual(["core/skills"]);
    expect(record?.announced[0]?.text).toContain("skill 1 of build");
  });

  test("I10: stands at the newest message", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    await host.prompt(0);
    host.change({ of: "file", place: "app", state: 2 });
    await host.prompt(0);
    host.undo(0, 1);
    host.change({ of: "file", place: "app", state: 1 });
    const call = sent(await host.prompt(0));
    expect(records(host).map(({ messageId }) => messageId)).toEqual([
      call.array.at(-1)?.info.id ?? "",
    ]);
  });

  test("I10: brings back what the undone message had removed", async () => {
    const { host } = scenes.open();
    host.change({ of: "references", version: 1 });
    await host.prompt(0);
    host.change({ of: "references", version: null });
    await host.prompt(0);
    expect(sent(await host.prompt(0)).updates).toHaveLength(1);
    host.undo(0, 1);
    await host.prompt(0);
    expect(records(host)).toHaveLength(1);
    const [record] = records(host);
    expect(Object.keys(record?.delta ?? {})).toEqual(["core/references"]);
    expect(record?.announced.map(({ text }) => text).join()).toContain("reference 1");
  });

  test("I10: takes back what the undone message had told first", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    host.change({ of: "references", version: 1 });
    await host.prompt(0);
    expect(sent(await host.prompt(0)).updates).toHaveLength(1);
    host.undo(0, 1);
    await host.prompt(0);
    expect(records(host)).toMatchObject([{ delta: { "core/references": null }, announced: [] }]);
  });

  test("of a message that told nothing, nothing is recorded", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    await host.prompt(0, { agent: "plan" });
    expect(entries(host)).toHaveLength(1);
    host.undo(0, 1);
    await host.prompt(0);
    expect(records(host)).toEqual([]);
  });
});
