import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { writeFiles } from "../../src/host/home.ts";
import {
  addTestProject,
  answered,
  createPlace,
  type FaultyHost,
  listenTo,
  work,
} from "./faults-stage.ts";
import { stage } from "./own-plugins.ts";
import { baseline, expectSteady, OURS, type Talk, updates } from "./stage.ts";

/** A session of a project whose database is prepared before the plugin first opens it. */
async function faulty(
  name: string,
  prepare: (database: string) => void,
): Promise<FaultyHost & { readonly database: string }> {
  const place = createPlace(name);
  prepare(place.database);
  const session = await listenTo(await stage.talk(stage.host.createClient(place.folder)), place);
  return { ...session, database: place.database };
}

function wire({ client, main }: Talk): readonly string[] {
  return main().map(({ raw }) => {
    const body = new TextDecoder().decode(raw);
    return body.replaceAll(client.folder, "/project");
  });
}

const STORES = {
  newer: {
    code: "storage_newer_schema",
    prepare(path: string) {
      mkdirSync(dirname(path), { recursive: true });
      const database = new Database(path);
      // "SRRT", as our own files are marked: one of a later release.
      database.exec(
        "CREATE TABLE later (word TEXT); PRAGMA application_id = 0x53525254; PRAGMA user_version = 999",
      );
      database.close();
    },
  },
  "no-folder": {
    code: "storage_unopenable",
    prepare: (path: string) => writeFiles(dirname(dirname(path)), { data: "Not a folder.\n" }),
  },
} as const;

test.each(Object.entries(STORES))(
  "K3, I15: %s: the wire is the stock host's, and the user is told once",
  async (name, { code, prepare }) => {
    const stock = await stage.talk(stage.host.createClient(addTestProject(`stock-${name}`, {})));
    const ours = await faulty(`ours-${name}`, prepare);
    const before = existsSync(ours.database) ? readFileSync(ours.database) : null;
    await work(stock);
    await work(ours.talk);
    expect(wire(ours.talk)).toEqual([...wire(stock)]);
    expect(ours.notices()).toMatchObject([{ code }]);
    expect(ours.toasts()).toHaveLength(1);
    if (before) expect(readFileSync(ours.database)).toEqual(before);
    ours.close();
  },
);

test("K3, I15: a corrupt database is moved aside, told once, and a new one begun", async () => {
  const ours = await faulty("corrupt", (path) =>
    writeFiles(dirname(path), { "runtime.db": "This was a database once. ".repeat(400) }),
  );
  await work(ours.talk);
  expectSteady(ours.talk.main());
  expect(updates(ours.talk.last())).toHaveLength(1);
  expect(ours.notices().map((notice) => notice.code)).toEqual(["storage_moved_aside"]);
  expect(ours.toasts()).toHaveLength(1);
  ours.close();
});

test("K3, I15: a lock in the middle of an epoch: what is committed is replayed, the rest is told later", async () => {
  const ours = await faulty("locked", () => undefined);
  const { talk } = ours;
  await work(talk);
  const other = new Database(ours.database);
  // The last turn may be being written down just now.
  other.exec("PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; BEGIN EXCLUSIVE");
  talk.edit({ "AGENTS.md": "Be bold.\n" });
  await answered(talk, "While it is locked");
  expect(updates(talk.last())).toHaveLength(1);
  expectSteady(talk.main());
  expect(ours.notices().map((notice) => notice.code)).toEqual(["storage_locked"]);
  expect(ours.toasts()).toHaveLength(1);

  const fresh = await stage.talk(talk.client);
  await answered(fresh, "A first turn while it is locked");
  other.exec("ROLLBACK");
  other.close();
  await answered(talk, "When it is free again");
  await answered(talk, "And on");
  expect(updates(talk.last())).toHaveLength(2);
  expectSteady(talk.main());
  await answered(fresh, "Two");
  fresh.edit({ "AGENTS.md": "Be brief.\n" });
  await answered(fresh, "Three");
  expectSteady(fresh.main().slice(1));
  expect(updates(fresh.last())).toHaveLength(1);
  expect(ours.notices()).toHaveLength(1);
  ours.close();
});

test("I3, K3, I15: a database that goes away in the middle of an epoch costs no turn, admits nothing, and is told once", async () => {
  const ours = await faulty("vanished", () => undefined);
  const { talk } = ours;
  await work(talk);
  stage.join("", stage.host.createClient(dirname(dirname(ours.database)))).remove("data");
  talk.edit({ "AGENTS.md": "Be bold.\n" });
  await answered(talk, "Four");
  await answered(talk, "Five");
  expectSteady(talk.main());
  expect(updates(talk.last())).toHaveLength(1);
  expect(ours.toasts()).toHaveLength(1);
  expect(ours.toasts()[0]).toContain("was moved or deleted while it was in use");
  ours.close();
});

test("K6: the database is 0600 in a folder of 0700", async () => {
  const ours = await faulty("modes", () => undefined);
  await answered(ours.talk, "One");
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
  expect(mode(ours.database)).toBe("600");
  expect(mode(dirname(ours.database))).toBe("700");
  ours.close();
});

test("an instruction file over the limit stands whole in the Baseline, as the host renders it, and is cut where a change is announced", async () => {
  const plugin = [[OURS, { instructions: { maxBytes: 1024 } }]];
  const long = `${"Answer in short sentences. ".repeat(80)}The end.\n`;
  const folder = addTestProject("long-instructions", {
    "opencode.json": JSON.stringify({ plugin }),
    "AGENTS.md": long,
  });
  const talk = await stage.talk(stage.host.createClient(folder));
  await talk.say("One");
  expect(baseline(talk.last())).toContain(long.trim());
  talk.edit({ "AGENTS.md": `Be kind. ${long}` });
  await talk.say("Two");
  expect(updates(talk.last())).toEqual([expect.stringContaining("[Cut here")]);
  expect(updates(talk.last())[0]).not.toContain("The end.");
  expectSteady(talk.main());
});
