import { describe, expect, test } from "bun:test";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Unavailable } from "../../src/context/source.ts";
import { createUnconfinedSettings, FileCache } from "../../src/sources/file-cache.ts";
import { FileStats, type StatResult } from "../../src/sources/file-stats.ts";
import { scratchFolders } from "./scratch-folder.ts";

const scratchFolder = scratchFolders();

const onOwnDisk = () => new FileStats(() => true);

/** What is there, and whether it was found out in place. */
async function looked(given: StatResult | Promise<StatResult>) {
  const where = given instanceof Promise ? "by a thread" : "in place";
  const look = await given;
  if (look === "missing" || look instanceof Unavailable) return [where, look];
  return [where, Number(look.size)];
}

describe("how files are looked at", () => {
  test("a file of this machine's disk is asked about in place from the second time on", async () => {
    const path = join(scratchFolder(), "a");
    writeFileSync(path, "four");
    const looks = onOwnDisk();
    expect(await looked(looks.stat(path))).toEqual(["by a thread", 4]);
    expect(await looked(looks.stat(path))).toEqual(["in place", 4]);
    writeFileSync(path, "longer");
    expect(await looked(looks.stat(path))).toEqual(["in place", 6]);
    rmSync(path);
    expect(await looked(looks.stat(path))).toEqual(["in place", "missing"]);
    // What comes there next may be a link to anywhere.
    expect(await looked(looks.stat(path))).toEqual(["by a thread", "missing"]);
  });

  test("what is forgotten is a thread's to look at again", async () => {
    const path = join(scratchFolder(), "a");
    writeFileSync(path, "four");
    const looks = onOwnDisk();
    await looks.stat(path);
    expect(looks.isKnownLocal(path)).toBeTrue();
    looks.forget(path);
    expect(looks.isKnownLocal(path)).toBeFalse();
    expect(await looked(looks.stat(path))).toEqual(["by a thread", 4]);
  });

  test("in place is what stands on a disk of this machine, as it was last looked at", async () => {
    const folder = scratchFolder();
    const path = join(folder, "a");
    writeFileSync(path, "four");
    const [here, elsewhere] = [onOwnDisk(), new FileStats(() => false)];
    expect(here.isKnownLocal(path)).toBeFalse();
    for (const looks of [here, elsewhere]) {
      await looks.stat(path);
      await looks.stat(join(folder, "none"));
    }
    expect([here.isKnownLocal(path), elsewhere.isKnownLocal(path)]).toEqual([true, false]);
    expect(here.isKnownLocal(join(folder, "none"))).toBeFalse();
  });

  test.skipIf(process.platform !== "linux")(
    "a system file is a thread's to look at: its file system is no disk (skipped where there are none)",
    async () => {
      const looks = new FileStats();
      for (let time = 0; time < 2; time += 1) {
        expect((await looked(looks.stat("/proc/version")))[0]).toBe("by a thread");
      }
    },
  );

  test("where nothing is, that is seen in place; what comes there is followed by a thread", async () => {
    const folder = scratchFolder();
    const path = join(folder, "none/yet");
    const looks = onOwnDisk();
    expect(await looked(looks.stat(path))).toEqual(["by a thread", "missing"]);
    expect(await looked(looks.stat(path))).toEqual(["in place", "missing"]);
    const link = join(folder, "link");
    await looks.stat(link);
    writeFileSync(join(folder, "target"), "12");
    symlinkSync(join(folder, "target"), link);
    expect(await looked(looks.stat(link))).toEqual(["by a thread", 2]);
    expect(await looked(looks.stat(link))).toEqual(["in place", 2]);
  });

  test("D3: what may hang is a thread's to wait for, each time", async () => {
    const path = join(scratchFolder(), "a");
    writeFileSync(path, "four");
    const looks = new FileStats(() => false);
    for (let time = 0; time < 3; time += 1) {
      expect(await looked(looks.stat(path))).toEqual(["by a thread", 4]);
    }
  });

  test("D3: an error is no absence, and is looked at anew", async () => {
    const path = join(scratchFolder(), "loop");
    symlinkSync(path, path);
    const looks = onOwnDisk();
    const reason = new Unavailable(`${path}: ELOOP`);
    for (let time = 0; time < 2; time += 1) {
      expect(await looked(looks.stat(path))).toEqual(["by a thread", reason]);
    }
    rmSync(path);
    writeFileSync(path, "four");
    await looks.stat(path);
    rmSync(path);
    symlinkSync(path, path);
    expect(await looked(looks.stat(path))).toEqual(["in place", reason]);
  });

  test.skipIf(process.platform !== "linux")(
    "I20: observing what has not changed never leaves the turn to the event loop",
    async () => {
      const folder = scratchFolder();
      const paths = [join(folder, "a"), join(folder, "none")];
      writeFileSync(join(folder, "a"), "text");
      const files = new FileCache({
        ...createUnconfinedSettings(100),
        now: () => Date.now() + 60_000,
      });
      for (const path of paths) await files.observe(path);
      let turns = 0;
      setImmediate(() => {
        turns += 1;
      });
      for (const path of paths) await files.observe(path);
      expect(turns).toBe(0);
    },
  );
});
