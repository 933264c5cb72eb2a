import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createUnconfinedSettings } from "../../src/sources/file-cache.ts";
import { type Disk, readFile, syncDisk, threadDisk } from "../../src/sources/read-file.ts";
import { scratchFolders } from "./scratch-folder.ts";

const scratchFolder = scratchFolders();

/** A disk that counts what is open, and how large the buffers are. */
function counted(disk: Disk) {
  const seen = { open: 0, largestBytes: 0 };
  const counting: Disk = {
    ...disk,
    open: async (path, flags) => {
      const file = await disk.open(path, flags);
      seen.open += 1;
      return file;
    },
    read: (file, into, at, position) => {
      seen.largestBytes = Math.max(seen.largestBytes, into.length);
      return disk.read(file, into, at, position);
    },
    close: async (file) => {
      seen.open -= 1;
      await disk.close(file);
    },
  };
  return { seen, counting };
}

describe.each([
  ["in place", syncDisk],
  ["by threads", threadDisk],
] as const)("reading a file, %s", (_way, disk) => {
  const file = (bytes: number) => {
    const path = join(scratchFolder(), "a");
    writeFileSync(path, "x".repeat(bytes));
    return path;
  };

  test("gives all of it up to the limit, whatever its size", async () => {
    for (const bytes of [0, 1, 4_095, 4_096, 4_097, 5_000, 10_000]) {
      const read = await readFile(file(bytes), createUnconfinedSettings(10_000), disk);
      expect(read).toMatchObject({ content: "x".repeat(bytes) });
    }
  });

  test("takes no more memory than the limit, or than a small file needs", async () => {
    for (const [bytes, limitBytes, mostBytes] of [
      [1_000_000, 1_000, 1_008],
      [100, 1_000_000, 4_097],
      [9_000, 1_000_000, 9_001],
    ] as const) {
      const { seen, counting } = counted(disk);
      await readFile(file(bytes), createUnconfinedSettings(limitBytes), counting);
      expect(seen).toEqual({ open: 0, largestBytes: mostBytes });
    }
  });

  test.skipIf(process.platform !== "linux")(
    "reads system files, which say that they are empty (skipped where there are none)",
    async () => {
      const read = await readFile("/proc/version", createUnconfinedSettings(10_000), disk);
      expect(read).toMatchObject({ content: expect.stringContaining("Linux version") });
    },
  );

  test("closes what it opened: a folder, a pipe, and what fails as it is read", async () => {
    const folder = scratchFolder();
    const [inside, pipe] = [join(folder, "b"), join(folder, "pipe")];
    mkdirSync(inside);
    spawnSync("mkfifo", [pipe]);
    const { seen, counting } = counted(disk);
    for (const path of [inside, pipe]) {
      expect(await readFile(path, createUnconfinedSettings(100), counting)).toBe("irregular");
    }
    const failing = { ...counting, read: () => Promise.reject(new Error("EIO")) };
    await expect(readFile(file(5), createUnconfinedSettings(100), failing)).rejects.toThrow("EIO");
    expect(seen.open).toBe(0);
  });
});
