import { describe, expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Unavailable } from "../../src/context/source.ts";
import { createUnconfinedSettings, FileCache, isFileText } from "../../src/sources/file-cache.ts";
import { FileStats } from "../../src/sources/file-stats.ts";
import {
  Confinement,
  type Disk,
  isWithin,
  readFile,
  syncDisk,
  threadDisk,
} from "../../src/sources/read-file.ts";
import { write } from "./host-layouts.ts";
import { scratchFolders } from "./scratch-folder.ts";

const folder = scratchFolders();

/** A project beside a folder with a secret, and what was refused in it. */
function place() {
  const [project, outside] = [folder(), folder()];
  write(outside, { "key.pem": "SECRET", "deep/key.pem": "SECRET" });
  write(project, { "docs/a.md": "A", "docs/key.pem": "public" });
  const refused: string[] = [];
  const confinement = new Confinement(project, (path) => refused.push(path));
  return {
    project,
    outside,
    refused,
    settings: { ...createUnconfinedSettings(1000), confinement },
  };
}

/** A disk that does `mischief` as soon as it was asked for a path. */
function after(disk: Disk, step: "open" | "realpath", mischief: () => void): Disk {
  let done = false;
  const once = () => {
    if (!done) mischief();
    done = true;
  };
  return step === "open"
    ? {
        ...disk,
        open: async (path, flags) => {
          const file = await disk.open(path, flags);
          once();
          return file;
        },
      }
    : {
        ...disk,
        realpath: async (path) => {
          const target = await disk.realpath(path);
          once();
          return target;
        },
      };
}

const ways = [
  ["in place", syncDisk],
  ["by threads", threadDisk],
] as const;

describe.each(ways)("what is confined to a project, %s", (_way, disk) => {
  test("a file of the project is read, by a link within it too", async () => {
    const { project, settings, refused } = place();
    symlinkSync("docs/a.md", join(project, "link.md"));
    symlinkSync(join(project, "docs"), join(project, "other"));
    for (const name of ["docs/a.md", "link.md", "other/a.md", "docs/../docs/a.md"]) {
      expect(await readFile(join(project, name), settings, disk)).toMatchObject({ content: "A" });
    }
    expect(refused).toEqual([]);
  });

  test("a link that leads out is not followed: to a file, a folder, another link, a process's environment", async () => {
    const { project, outside, settings, refused } = place();
    symlinkSync(join(outside, "key.pem"), join(project, "file"));
    symlinkSync(outside, join(project, "folder"));
    symlinkSync("file", join(project, "twice"));
    symlinkSync("/proc/self", join(project, "proc"));
    const names = ["file", "folder/key.pem", "folder/deep/key.pem", "twice", "proc/environ"];
    const paths = [
      ...names.map((name) => join(project, name)),
      ...["/proc/self/environ", join(outside, "key.pem"), join(project, "docs/../..")],
    ];
    for (const path of paths) {
      expect([path, await readFile(path, settings, disk)]).toEqual([path, "outside"]);
    }
    expect(refused).toEqual(paths);
  });

  test("a folder whose name begins like the project's is outside", async () => {
    const { project, settings } = place();
    mkdirSync(`${project}-too`);
    write(`${project}-too`, { a: "SECRET" });
    expect(await readFile(`${project}-too/a`, settings, disk)).toBe("outside");
  });

  test("a file that becomes a link after it was resolved is not followed", async () => {
    const { project, outside, settings } = place();
    const path = join(project, "docs/key.pem");
    const swapping = after(disk, "realpath", () => {
      rmSync(path);
      symlinkSync(join(outside, "key.pem"), path);
    });
    expect(readFile(path, settings, swapping)).rejects.toMatchObject({ code: "ELOOP" });
  });

  test("a folder on the way that becomes a link after the path was resolved is noticed", async () => {
    const { project, outside, settings, refused } = place();
    const path = join(project, "docs/key.pem");
    const swapping = after(disk, "realpath", () => {
      renameSync(join(project, "docs"), join(project, "was"));
      symlinkSync(outside, join(project, "docs"));
    });
    expect(await readFile(path, settings, swapping)).toBe("outside");
    expect(refused).toEqual([path]);
  });

  test("a file of another disk with the same number is not the one that was opened", async () => {
    const { project, refused } = place();
    const path = join(project, "docs/a.md");
    const confinement = new Confinement(project, (outside) => refused.push(outside));
    const opened = statSync(path, { bigint: true });
    expect(await confinement.isSameFile(path, opened, disk)).toBeTrue();
    for (const other of [{ dev: opened.dev + 1n }, { ino: opened.ino + 1n }]) {
      const elsewhere = Object.assign(Object.create(opened), other);
      expect(await confinement.isSameFile(path, elsewhere, disk)).toBeFalse();
    }
    expect(refused).toEqual([path, path]);
  });

  test("a folder that was a link only while the file was opened is noticed", async () => {
    const { project, outside, settings } = place();
    const path = join(project, "docs/key.pem");
    const back = () => {
      rmSync(join(project, "docs"));
      renameSync(join(project, "was"), join(project, "docs"));
    };
    const swapping = after(after(disk, "open", back), "realpath", () => {
      renameSync(join(project, "docs"), join(project, "was"));
      symlinkSync(outside, join(project, "docs"));
    });
    expect(await readFile(path, settings, swapping)).toBe("outside");
  });
});

describe.each([
  ["in place", () => new FileStats()],
  ["by threads", () => new FileStats(() => false)],
] as const)("a confined cache, %s", (_way, looks) => {
  test("what was read before is not given once its link leads out, and again when it leads back", async () => {
    const { project, outside, settings, refused } = place();
    const path = join(project, "link");
    const aim = (target: string) => {
      rmSync(path, { force: true });
      symlinkSync(target, path);
    };
    const files = new FileCache(settings, looks());
    aim("docs/a.md");
    const first = await files.observe(path);
    expect(isFileText(first) && first.content).toBe("A");
    aim(join(outside, "key.pem"));
    for (let pass = 0; pass < 3; pass += 1) expect(await files.observe(path)).toBe("outside");
    expect(refused).toEqual([path, path, path]);
    aim("docs/a.md");
    const last = await files.observe(path);
    expect(isFileText(last) && last.content).toBe("A");
    aim("link");
    expect(await files.observe(path)).toBeInstanceOf(Unavailable);
  });
});

test("a link outside is followed where nothing confines", async () => {
  const { project, outside } = place();
  symlinkSync(join(outside, "key.pem"), join(project, "file"));
  const read = await readFile(join(project, "file"), createUnconfinedSettings(1000), syncDisk);
  expect(read).toMatchObject({ content: "SECRET" });
});

test("within: a folder, what is below it, and names that only begin with dots", () => {
  expect(isWithin("/w", "/w")).toBeTrue();
  expect(isWithin("/w", "/w/..a")).toBeTrue();
  expect(isWithin("/w", "/w/a/b")).toBeTrue();
  expect(isWithin("/w", "/wa")).toBeFalse();
  expect(isWithin("/w", "/")).toBeFalse();
  expect(isWithin("/w/a", "/w/b")).toBeFalse();
});
