import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import {
  type BigIntStats,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Unavailable } from "../../src/context/source.ts";
import {
  createUnconfinedSettings,
  FileCache,
  type FileObservation,
  isFileText,
} from "../../src/sources/file-cache.ts";
import { FileStats } from "../../src/sources/file-stats.ts";
import { limitText, type ReadSettings } from "../../src/sources/read-file.ts";
import { scratchFolders } from "./scratch-folder.ts";

const scratchFolder = scratchFolders();

/** A clock a minute ahead of the files: every stamp counts as settled. */
const settled: ReadSettings = {
  ...createUnconfinedSettings(1_048_576),
  now: () => Date.now() + 60_000,
};

function content(observation: FileObservation): string {
  if (!isFileText(observation)) throw new Error(String(observation));
  return observation.content;
}

test("D4: a file that vanishes between stat and read is unavailable, by threads", async () => {
  const folder = scratchFolder();
  const path = join(folder, "a");
  const files = new FileCache(settled, new FileStats(() => false));
  const seen = new Set<string>();
  const vanished = `${path} vanished while it was read`;
  // Where in the observation the file goes is up to the scheduler: until it was seen once.
  for (let round = 0; round < 20_000 && !seen.has(vanished); round += 1) {
    writeFileSync(path, "text");
    const observing = files.observe(path);
    const wait = performance.now() + (round % 40) / 100;
    while (performance.now() < wait) await Promise.resolve();
    if (round % 2 === 0) await new Promise((done) => setImmediate(done));
    rmSync(path);
    const observation = await observing;
    seen.add(observation instanceof Unavailable ? observation.reason : typeof observation);
  }
  expect(seen).toContain(vanished);
  for (const word of seen) expect(["object", "string", vanished]).toContain(word);
});

test("D4: a file that vanishes between stat and read is unavailable, in place", async () => {
  const path = join(scratchFolder(), "a");
  class VanishingFiles extends FileStats {
    override stat(asked: string) {
      const seen = super.stat(asked);
      if (!(seen instanceof Promise)) rmSync(asked);
      return seen;
    }
  }
  const files = new FileCache(settled, new VanishingFiles());
  writeFileSync(path, "text");
  expect(content(await files.observe(path))).toBe("text");
  writeFileSync(path, "another text");
  expect(await files.observe(path)).toEqual(new Unavailable(`${path} vanished while it was read`));
});

test("I8: a changed file on a disk of this machine is read without giving the event loop away", async () => {
  const path = join(scratchFolder(), "a");
  const files = new FileCache(settled);
  writeFileSync(path, "text");
  await files.observe(path);
  writeFileSync(path, "another text");
  let turns = 0;
  setImmediate(() => {
    turns += 1;
  });
  expect(await files.observe(path)).toEqual({ path, content: "another text" });
  expect(turns).toBe(0);
});

/** As a kernel that stamps all that it writes within one tick alike: what it once said of a path stays. */
class OneStamp extends FileStats {
  #seen: BigIntStats | null = null;

  override stat(path: string): BigIntStats {
    this.#seen ??= statSync(path, { bigint: true });
    return this.#seen;
  }

  override statLocal(path: string): BigIntStats {
    return this.stat(path);
  }
}

test("F1: a write within the tick of the one before, which changes no stamp, is seen", async () => {
  const path = join(scratchFolder(), "a");
  writeFileSync(path, "one");
  const stampMs = Number(statSync(path, { bigint: true }).ctimeNs / 1_000_000n);
  const files = new FileCache({ ...settled, now: () => stampMs + 1 }, new OneStamp());
  const first = await files.observe(path);
  expect(content(first)).toBe("one");
  writeFileSync(path, "two");
  expect(files.isCurrent(path, first)).toBeFalse();
  expect(content(await files.observe(path))).toBe("two");
});

describe("whether a file is as it was seen", () => {
  test("is found out in place: changed, gone, come, or something else by now", async () => {
    const folder = scratchFolder();
    const [path, none] = [join(folder, "a"), join(folder, "none")];
    writeFileSync(path, "text");
    const files = new FileCache(settled);
    const seen = await files.observe(path);
    const missing = await files.observe(none);
    const { stats } = files.counters;
    expect(files.isCurrent(path, seen)).toBeTrue();
    expect(files.isCurrent(none, missing)).toBeTrue();
    expect(files.counters).toEqual({ stats: stats + 2, reads: 1 });
    expect(files.isCurrent(path, "missing")).toBeFalse();
    expect(files.isCurrent(path, { path, content: "text" })).toBeFalse();
    expect(files.isCurrent(none, seen)).toBeFalse();
    writeFileSync(none, "text");
    expect(files.isCurrent(none, missing)).toBeFalse();
    writeFileSync(path, "another text");
    expect(files.isCurrent(path, seen)).toBeFalse();
    rmSync(path);
    expect(files.isCurrent(path, seen)).toBeFalse();
    expect(files.counters.reads).toBe(1);
  });

  test("is found out for no file that can't be looked at, for no folder, and for none elsewhere", async () => {
    const folder = scratchFolder();
    const path = join(folder, "a");
    writeFileSync(path, "text");
    const elsewhere = new FileCache(settled, new FileStats(() => false));
    expect(elsewhere.isCurrent(path, await elsewhere.observe(path))).toBeFalse();
    expect(elsewhere.counters.stats).toBe(1);
    const files = new FileCache(settled);
    const seen = await files.observe(path);
    rmSync(path);
    symlinkSync(path, path);
    expect(files.isCurrent(path, seen)).toBeFalse();
    rmSync(path);
    mkdirSync(path);
    expect(files.isCurrent(path, seen)).toBeFalse();
    expect(files.isCurrent(path, "irregular")).toBeFalse();
    expect(await files.observe(path)).toBe("irregular");
    rmSync(path, { recursive: true });
    writeFileSync(path, "text");
    expect(files.isCurrent(path, seen)).toBeFalse();
  });
});

test("D9: what was a file when it was looked at, and is a folder when it is opened, is irregular", async () => {
  const path = join(scratchFolder(), "a");
  writeFileSync(path, "one");
  const looks = new OneStamp();
  looks.stat(path);
  rmSync(path);
  mkdirSync(path);
  expect(await new FileCache(settled, looks).observe(path)).toBe("irregular");
});

/** How the same disk is asked: in place, or as one that may hang. */
const ways = [
  ["in place", () => new FileStats()],
  ["by threads", () => new FileStats(() => false)],
] as const;

describe.each(ways)("the file cache, %s", (_way, looks) => {
  test("I20: reads an unchanged file once, and gives the same object", async () => {
    const path = join(scratchFolder(), "a");
    writeFileSync(path, "text");
    const files = new FileCache(settled, looks());
    const first = await files.observe(path);
    for (let pass = 0; pass < 5; pass += 1) expect(await files.observe(path)).toBe(first);
    expect(files.counters).toEqual({ stats: 6, reads: 1 });
  });

  test("sees each kind of change: content, same length, replacement, touch", async () => {
    const folder = scratchFolder();
    const path = join(folder, "a");
    writeFileSync(path, "one");
    const files = new FileCache(settled, looks());
    const first = await files.observe(path);
    utimesSync(path, 1, 1);
    expect(await files.observe(path)).toBe(first);
    expect(files.counters.reads).toBe(2);
    writeFileSync(join(folder, "b"), "two");
    utimesSync(join(folder, "b"), 1, 1);
    renameSync(join(folder, "b"), path);
    expect(content(await files.observe(path))).toBe("two");
    await Bun.sleep(15);
    writeFileSync(path, "six");
    utimesSync(path, 1, 1);
    expect(content(await files.observe(path))).toBe("six");
  });

  test("a file written within the kernel's last tick is read again until its stamp is old", async () => {
    const path = join(scratchFolder(), "a");
    const files = new FileCache(undefined, looks());
    for (let write = 0; write < 50; write += 1) {
      writeFileSync(path, String(write % 10));
      expect(content(await files.observe(path))).toBe(String(write % 10));
    }
    await Bun.sleep(30);
    await files.observe(path);
    const { reads } = files.counters;
    await files.observe(path);
    expect(files.counters.reads).toBe(reads);
  });

  test("F1: what was read a tick after its last write is not read again", async () => {
    const path = join(scratchFolder(), "a");
    writeFileSync(path, "one");
    for (const [aheadMs, reads] of [
      [19, 3],
      [20, 1],
      [-19, 3],
      [-20, 1],
    ] as const) {
      const stampMs = Number(statSync(path, { bigint: true }).ctimeNs / 1_000_000n);
      const files = new FileCache({ ...settled, now: () => stampMs + aheadMs }, looks());
      for (let pass = 0; pass < 3; pass += 1) await files.observe(path);
      expect([aheadMs, files.counters.reads]).toEqual([aheadMs, reads]);
    }
  });

  test("a missing file is missing, also below a file; a folder is irregular", async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, "a"), "");
    const files = new FileCache(undefined, looks());
    expect(await files.observe(join(folder, "none"))).toBe("missing");
    expect(await files.observe(join(folder, "a/b"))).toBe("missing");
    expect(await files.observe(folder)).toBe("irregular");
    rmSync(join(folder, "a"));
    expect(await files.observe(join(folder, "a"))).toBe("missing");
  });

  test("D9: a FIFO or a device never blocks", async () => {
    const path = join(scratchFolder(), "pipe");
    spawnSync("mkfifo", [path]);
    const files = new FileCache(undefined, looks());
    expect(await files.observe(path)).toBe("irregular");
    expect(await files.observe("/dev/zero")).toBe("irregular");
    expect(files.counters.reads).toBe(0);
  });

  test("D3: any other error is unavailable, with its reason", async () => {
    const folder = scratchFolder();
    symlinkSync(join(folder, "loop"), join(folder, "loop"));
    const observation = await new FileCache(undefined, looks()).observe(join(folder, "loop"));
    expect(observation).toEqual(new Unavailable(`${join(folder, "loop")}: ELOOP`));
  });

  test("D9: byte order mark, CRLF, NUL and invalid bytes are decoded as the host does", async () => {
    const path = join(scratchFolder(), "a");
    writeFileSync(path, Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0x0d, 0x0a, 0x00, 0xff]));
    expect(content(await new FileCache(undefined, looks()).observe(path))).toBe("a\r\n\0\uFFFD");
  });

  test("D9: a long text is cut at a code point, with a note, as its whole text would be", async () => {
    const path = join(scratchFolder(), "a");
    const note = (bytes: number) => `\n[Cut here: the rest, after ${bytes} bytes, is left out.]`;
    for (const text of ["a".repeat(101), `${"ü".repeat(60)}`, "€".repeat(40), "😀".repeat(30)]) {
      for (const limitBytes of [97, 98, 99, 100]) {
        writeFileSync(path, `\uFEFF${text}`);
        const files = new FileCache({ ...settled, limitBytes }, looks());
        const cut = content(await files.observe(path));
        expect(cut).toBe(limitText(text, limitBytes));
        expect(cut).toEndWith(note(limitBytes));
        expect(cut).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
        expect(Buffer.byteLength(cut)).toBeGreaterThan(limitBytes - 4);
      }
    }
    writeFileSync(path, "a".repeat(100));
    expect(content(await new FileCache(createUnconfinedSettings(100), looks()).observe(path))).toBe(
      "a".repeat(100),
    );
  });

  test("I20: a pass over six unchanged files looks at each once and reads none", async () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, "sub"));
    const paths = [1, 2, 3, 4, 5, 6].map((name) => join(folder, "sub", String(name)));
    for (const path of paths) writeFileSync(path, "text ".repeat(1_000));
    const files = new FileCache(settled, looks());
    const pass = () => Promise.all(paths.map((path) => files.observe(path)));
    await pass();
    const { stats, reads } = files.counters;
    for (let round = 0; round < 500; round += 1) await pass();
    expect(files.counters).toEqual({ stats: stats + 500 * paths.length, reads });
  });
});

test("what an owner no longer asks for is forgotten; what it goes on asking for is not read again", async () => {
  const folder = scratchFolder();
  const [gone, kept] = [join(folder, "gone"), join(folder, "kept")];
  for (const path of [gone, kept]) writeFileSync(path, "text");
  const files = new FileCache(settled);
  const ask = async (...paths: readonly string[]) => {
    for (const path of paths) await files.observe(path);
    files.keepFor("owner", new Set(paths));
    return files.counters.reads;
  };
  expect(await ask(gone, kept)).toBe(2);
  expect(await ask(gone, kept)).toBe(2);
  expect(await ask(kept)).toBe(2);
  const anew = files.observe(gone);
  expect(anew).toBeInstanceOf(Promise);
  expect(content(await anew)).toBe("text");
  expect(await ask(gone, kept)).toBe(3);
});
