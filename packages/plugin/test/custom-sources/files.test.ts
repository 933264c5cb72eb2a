import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { absent } from "../../src/context/source.ts";
import { loadGlob } from "../../src/sources/custom/files.ts";
import { FileCache } from "../../src/sources/file-cache.ts";
import { scratchFolders } from "../sources/scratch-folder.ts";
import { closeAfterEach, type Follower, follow } from "./follow.ts";

const folder = scratchFolders();
closeAfterEach();

function inFolder(entry: Parameters<typeof follow>[0][string], boundaryMs: number) {
  const directory = folder();
  const write = (name: string, text: string | Uint8Array) => {
    mkdirSync(join(directory, name, ".."), { recursive: true });
    writeFileSync(join(directory, name), text);
  };
  const follower: Follower = follow({ "team/own": entry }, { directory, env: {}, boundaryMs });
  return { directory, write, follower };
}

describe("M3: a file", () => {
  test("baseline, update, removal and return, in the default words", async () => {
    const { directory, write, follower } = inFolder({ file: "oncall.txt" }, 1000);
    expect(await follower.boundary()).toBeNull();
    write("oncall.txt", "Ada");
    expect(await follower.boundary()).toBe("team/own:\nAda");
    expect(await follower.boundary()).toBeNull();
    write("oncall.txt", "Grace");
    expect(await follower.boundary()).toBe("team/own has changed. It is now:\nGrace");
    rmSync(join(directory, "oncall.txt"));
    expect(await follower.boundary()).toBe("team/own no longer applies.");
    write("oncall.txt", "Ada");
    expect(await follower.boundary()).toBe("team/own:\nAda");
  });

  test("templates name the value and the former one; braces in a value are text", async () => {
    const { directory, write, follower } = inFolder(
      {
        file: "oncall.txt",
        baseline: "On call: {value}",
        update: "{value} has taken over from {previous}.",
        removed: "{previous} is off.",
      },
      1000,
    );
    write("oncall.txt", "{previous} $& {value}");
    expect(await follower.boundary()).toBe("On call: {previous} $& {value}");
    write("oncall.txt", "Grace");
    expect(await follower.boundary()).toBe("Grace has taken over from {previous} $& {value}.");
    rmSync(join(directory, "oncall.txt"));
    expect(await follower.boundary()).toBe("Grace is off.");
  });

  test("an empty file is context", async () => {
    const { write, follower } = inFolder({ file: "empty.txt" }, 1000);
    write("empty.txt", "");
    expect(await follower.boundary()).toBe("team/own:\n(empty)");
  });

  test("flood: what a file says beyond maxBytes is left out, with a note", async () => {
    const { write, follower } = inFolder({ file: "big.txt", maxBytes: 64 }, 1000);
    write("big.txt", "x".repeat(10_000_000));
    const told = await follower.boundary();
    expect(told).toContain("[Cut here: the rest, after 64 bytes, is left out.]");
    expect(told?.length).toBeLessThan(200);
  });

  test("control characters, colours, direction marks and broken UTF-8 are made harmless", async () => {
    const { write, follower } = inFolder({ file: "odd.txt" }, 1000);
    write("odd.txt", "\uFEFF\u001b[31mred\u001b[0m\r\nnext\u0000\u0007\u202Eevil\tend");
    expect(await follower.boundary()).toBe("team/own:\nred\nnext\uFFFD\uFFFD\uFFFDevil\tend");
    write("odd.txt", new Uint8Array([0x61, 0xff, 0x62]));
    expect(await follower.boundary()).toBe("team/own has changed. It is now:\na\uFFFDb");
  });

  test("I8: failure: a folder, or one that may not be read, says nothing and forgets nothing", async () => {
    const { directory, write, follower } = inFolder({ file: "oncall.txt" }, 1000);
    write("oncall.txt", "Ada");
    await follower.boundary();
    rmSync(join(directory, "oncall.txt"));
    mkdirSync(join(directory, "oncall.txt"));
    expect(await follower.boundary()).toBeNull();
    expect(follower.reasons()[0]).toContain("is no regular file");
    if (process.getuid?.() === 0) return;
    rmSync(join(directory, "oncall.txt"), { recursive: true });
    write("oncall.txt", "Ada");
    chmodSync(join(directory, "oncall.txt"), 0);
    expect(await follower.boundary()).toBeNull();
  });

  test("hang: a pipe that nobody writes to is no file, and holds no boundary", async () => {
    const { directory, follower } = inFolder({ file: "pipe" }, 1000);
    Bun.spawnSync(["mkfifo", join(directory, "pipe")]);
    expect(await follower.boundary()).toBeNull();
    expect(follower.reasons()[0]).toContain("is no regular file");
  });
});

describe("M3: a glob", () => {
  test("baseline, update and removal: all matching files by path, each under its path", async () => {
    const { directory, write, follower } = inFolder({ glob: "rules/**/*.md" }, 1000);
    expect(await follower.boundary()).toBeNull();
    write("rules/b.md", "B");
    write("rules/a/deep.md", "A");
    write("rules/no.txt", "no");
    expect(await follower.boundary()).toBe("team/own:\nrules/a/deep.md:\nA\n\nrules/b.md:\nB");
    rmSync(join(directory, "rules/b.md"));
    expect(await follower.boundary()).toBe("team/own has changed. It is now:\nrules/a/deep.md:\nA");
    rmSync(join(directory, "rules"), { recursive: true });
    expect(await follower.boundary()).toBe("team/own no longer applies.");
  });

  test("flood: too much text is cut, too many files are unavailable with a reason", async () => {
    const { write, follower } = inFolder({ glob: "*.md", maxBytes: 64 }, 2000);
    for (let index = 0; index < 200; index += 1) write(`${index}.md`, "text of a file");
    expect(await follower.boundary()).toContain("[Cut here");
    for (let index = 200; index < 300; index += 1) write(`${index}.md`, "");
    expect(await follower.boundary()).toBeNull();
    expect(follower.reasons()).toEqual(["team/own: *.md matches 300 files, more than 256"]);
  });
});

test("what a glob no longer finds is forgotten: when it comes back it is read anew", async () => {
  const directory = folder();
  const link = join(directory, "a.md");
  writeFileSync(join(directory, "target"), "text");
  symlinkSync(join(directory, "target"), link);
  const files = new FileCache({ limitBytes: 1_000, now: () => Date.now() + 60_000 });
  const load = () => loadGlob("*.md", directory, files);
  for (let pass = 0; pass < 3; pass += 1) expect(await load()).toBe("a.md:\ntext");
  expect(files.counters.reads).toBe(1);
  rmSync(link);
  expect(await load()).toBe(absent);
  symlinkSync(join(directory, "target"), link);
  expect(await load()).toBe("a.md:\ntext");
  expect(files.counters.reads).toBe(2);
});

describe("M3: an environment variable", () => {
  test("baseline, update and removal", async () => {
    const env: Record<string, string> = { TEAM: "Ada" };
    const entries = { "team/own": { env: "TEAM", maxBytes: 16 } };
    const follower = follow(entries, { directory: folder(), env, boundaryMs: 1000 });
    expect(await follower.boundary()).toBe("team/own:\nAda");
    env.TEAM = "Grace\u001b[1m";
    expect(await follower.boundary()).toBe("team/own has changed. It is now:\nGrace");
    env.TEAM = "x".repeat(1000);
    expect(await follower.boundary()).toContain("[Cut here");
    delete env.TEAM;
    expect(await follower.boundary()).toBe("team/own no longer applies.");
  });
});

test("configured sources are told in key order, and costs of one are not another's", async () => {
  const directory = folder();
  mkdirSync(join(directory, "broken"));
  writeFileSync(join(directory, "a.txt"), "A");
  writeFileSync(join(directory, "b.txt"), "B");
  const entries = {
    "team/z": { file: "a.txt" },
    "team/broken": { file: "broken" },
    "team/a": { file: "b.txt" },
  };
  const follower = follow(entries, { directory, env: {}, boundaryMs: 1000 });
  expect(await follower.boundary()).toBe("team/a:\nB\n\nteam/z:\nA");
});
