import { expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { type Client, makeClient } from "../../src/client/client.ts";
import {
  makeWritable,
  missingDisks,
  onReadOnlyDisk,
  onSmallDisk,
  pathInProcess,
} from "../../src/host/own-disk.ts";
import { isolatedEnvironment, spawnHost } from "../../src/host/process.ts";
import { type Runs, rowTest } from "../long.ts";
import { answered, createPlace, listenTo, type Place, work } from "./faults-stage.ts";
import { stage } from "./own-plugins.ts";
import { expectSteady, updates } from "./stage.ts";

const missing = missingDisks();

/** A test of disks; where there can be none it is skipped, and its name says why. */
function diskTest(runs: Runs, title: string, run: () => Promise<void>): void {
  if (missing === null) rowTest(runs, title, run);
  else test.skip(`${title} (${missing})`, run);
}

interface OwnHost {
  readonly pid: number;
  readonly client: Client;
  close(): Promise<void>;
}

/** A second host on the same home, to which the database's folder lies on another disk. */
async function hostOn(before: readonly string[], { folder }: Place): Promise<OwnHost> {
  const { pid, url, kill } = await spawnHost({
    command: [...before, hostBinary()],
    cwd: folder,
    env: isolatedEnvironment(stage.host.home),
    log: () => undefined,
  });
  return { pid, client: makeClient(() => url, folder), close: kill };
}

const DISK_BYTES = 4_194_304;

/** Writes until nothing more finds room. */
function fill(path: string): void {
  expect(() => writeFileSync(path, Buffer.alloc(DISK_BYTES))).toThrow("ENOSPC");
}

diskTest(
  "each-run",
  "K3, I15: a disk that is full in the middle of an epoch: what is committed is replayed, the rest is told when there is room",
  async () => {
    const place = createPlace("full");
    const data = dirname(place.database);
    mkdirSync(data);
    const host = await hostOn(onSmallDisk(data, DISK_BYTES), place);
    try {
      const ours = await listenTo(await stage.talk(host.client), place);
      const { talk } = ours;
      await work(talk);
      const filler = pathInProcess(host.pid, join(data, "filler"));
      fill(filler);
      talk.edit({ "AGENTS.md": "Be bold.\n" });
      await answered(talk, "While it is full");
      await answered(talk, "And still");
      expect(updates(talk.last())).toHaveLength(1);
      expectSteady(talk.main());
      expect(ours.notices()).toMatchObject([{ code: "storage_full" }]);
      expect(ours.toasts()).toHaveLength(1);
      expect(ours.toasts()[0]).toContain("the disk is full. Free some space");

      rmSync(filler);
      await answered(talk, "When there is room");
      await answered(talk, "And on");
      expect(updates(talk.last())).toHaveLength(2);
      expectSteady(talk.main());
      expect(ours.notices()).toHaveLength(1);
      ours.close();
    } finally {
      await host.close();
    }
  },
);

diskTest(
  "each-run",
  "K3, I15: a disk that can only be read: the epoch is read from it and goes on, the rest is told by a host that may write",
  async () => {
    const place = createPlace("read-only");
    const talk = await stage.talk(stage.host.createClient(place.folder));
    await work(talk);
    const host = await hostOn(onReadOnlyDisk(dirname(place.database)), place);
    try {
      const ours = await listenTo(stage.join(talk.id, host.client), place);
      talk.edit({ "AGENTS.md": "Be bold.\n" });
      await answered(ours.talk, "While it can't be written");
      await answered(ours.talk, "And still");
      expect(updates(talk.last())).toHaveLength(1);
      expectSteady(talk.main());
      expect(ours.notices()).toMatchObject([{ code: "storage_read_only" }]);
      expect(ours.toasts()).toHaveLength(1);
      expect(ours.toasts()[0]).toContain("Make the file and its folder writable");
      ours.close();
    } finally {
      await host.close();
    }
    await answered(talk, "When it can");
    await answered(talk, "And on");
    expect(updates(talk.last())).toHaveLength(2);
    expectSteady(talk.main());
  },
);

// A database on a disk that is read-only from the host's start is above as well.
const startedReadOnly = [
  ["each-run", "without a database", async () => undefined],
  [
    "long-runs",
    "with a database and its WAL",
    async (place: Place) => {
      const host = await hostOn([], place);
      await answered(await stage.talk(host.client), "Begun while it could be written");
      await host.close();
    },
  ],
] as const;

for (const [runs, state, prepare] of startedReadOnly) {
  diskTest(
    runs,
    `K3, I15: a disk that is read-only when the host starts, ${state}, is used from the next call after it can be written`,
    async () => {
      const place = createPlace(`mended ${state}`);
      const data = dirname(place.database);
      mkdirSync(data);
      await prepare(place);
      const host = await hostOn(onReadOnlyDisk(data), place);
      try {
        const { talk, notices, close } = await listenTo(await stage.talk(host.client), place);
        await answered(talk, "While it can't be written");
        expect(notices()).toMatchObject([{ code: "storage_read_only" }]);
        makeWritable(host.pid, data);
        await answered(talk, "When it can");
        talk.edit({ "AGENTS.md": "Be bold.\n" });
        await answered(talk, "And on");
        await answered(talk, "And on");
        expect(updates(talk.last())).toHaveLength(1);
        expectSteady(talk.main().slice(1));
        expect(notices()).toHaveLength(1);
        close();
      } finally {
        await host.close();
      }
    },
  );
}
