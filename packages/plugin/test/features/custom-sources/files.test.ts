import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { absent } from "../../../src/context/source.ts";
import { loadGlob } from "../../../src/features/custom-sources/custom-source.ts";
import { createUnconfinedSettings, FileCache } from "../../../src/sources/file-cache.ts";
import { GlobWalker } from "../../../src/sources/glob-walk.ts";
import { scratchFolders } from "../../sources/scratch-folder.ts";
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
    expect(follower.reasons()[0]).toContain("is not a regular file");
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
    expect(follower.reasons()[0]).toContain("is not a regular file");
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
    expect(follower.reasons()).toEqual(["team/own: its pattern matches more than 256 files"]);
  });
});

test("what a glob no longer finds is forgotten: when it comes back it is read anew", async () => {
  const directory = folder();
  const link = join(directory, "a.md");
  writeFileSync(join(directory, "target"), "text");
  symlinkSync(join(directory, "target"), link);
  const files = new FileCache({
    ...createUnconfinedSettings(1_000),
    now: () => Date.now() + 60_000,
  });
  const deps = { directory, files, globs: new GlobWalker(), confinement: null };
  const load = () => loadGlob("*.md", deps);
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

describe("what a project's own file configures stays in the project", () => {
  const inProject = (entry: Parameters<typeof follow>[0][string]) => {
    const [directory, outside] = [folder(), folder()];
    writeFileSync(join(outside, "key.pem"), "SECRET");
    mkdirSync(join(directory, "docs"));
    writeFileSync(join(directory, "docs/a.md"), "A\n");
    symlinkSync(outside, join(directory, "docs/out"));
    symlinkSync(join(outside, "key.pem"), join(directory, "docs/key.md"));
    symlinkSync("/proc/self/environ", join(directory, "docs/env.md"));
    const setting = { directory, env: {}, boundaryMs: 1000, projectKeys: ["team/own"] };
    const follower = follow({ "team/own": entry, "team/mine": entry }, setting);
    return { directory, outside, follower };
  };

  test.each(["docs/key.md", "docs/out/key.pem", "docs/env.md"])(
    "a file that leads out is not there: %s",
    async (file) => {
      const { directory, follower } = inProject({ file });
      const told = await follower.boundary();
      expect(told).toStartWith("team/mine:\n");
      expect(told).not.toContain("team/own");
      expect(follower.refused()).toEqual([`team/own: ${join(directory, file)}`]);
      expect(follower.reasons()).toEqual([]);
    },
  );

  test.each(["docs/*.md", "docs/**/*.md", "docs/{a,key,env}.md", "docs/+([a-z]).md"])(
    "of a glob, what leads out is left out: %s",
    async (glob) => {
      const { directory, follower } = inProject({ glob });
      const told = await follower.boundary();
      expect(told).toContain("team/own:\ndocs/a.md:\nA");
      expect(told?.split("team/own")[1]).not.toContain("SECRET");
      const refused = ["env", "key"].map(
        (name) => `team/own: ${join(directory, `docs/${name}.md`)}`,
      );
      expect(follower.refused()).toEqual(expect.arrayContaining(refused));
    },
  );

  test("a glob goes into no folder that leads out", async () => {
    const { directory, follower } = inProject({ glob: "docs/*/*.pem" });
    expect(await follower.boundary()).toStartWith("team/mine:");
    expect(follower.refused()).toContain(`team/own: ${join(directory, "docs/out")}`);
  });

  test("a pattern that the settings let through by mistake reads nothing outside", async () => {
    for (const glob of ["../*/key.pem", "{..,.}/*/key.pem", "/proc/self/environ", "~/.ssh/*"]) {
      const { follower } = inProject({ glob });
      const told = (await follower.boundary()) ?? "";
      expect(told.split("team/own")[1] ?? "").not.toContain("SECRET");
      expect(told).not.toStartWith("team/own");
    }
    const { follower, outside } = inProject({ file: "docs/out/../a.md" });
    expect(await follower.boundary()).toContain("team/own:\nA");
    const other = inProject({ file: join(outside, "key.pem") });
    expect(await other.follower.boundary()).toBe("team/mine:\nSECRET");
  });

  test("a link of the user's own entry may lead anywhere", async () => {
    const { follower } = inProject({ file: "docs/key.md" });
    expect(await follower.boundary()).toBe("team/mine:\nSECRET");
  });
});

test("a directory whose name is a pattern is no part of the pattern", async () => {
  const directory = join(folder(), "a[1]{b,c}");
  mkdirSync(directory);
  writeFileSync(join(directory, "x.md"), "X");
  const setting = { directory, env: {}, boundaryMs: 1000 };
  const follower = follow({ "team/own": { glob: "*.md" } }, setting);
  expect(await follower.boundary()).toBe("team/own:\nx.md:\nX");
});

test("of a glob that says more than its limit, files beyond it are not read", async () => {
  const directory = folder();
  for (const name of ["a", "b", "c", "d"]) writeFileSync(join(directory, name), "x".repeat(60));
  const files = new FileCache(createUnconfinedSettings(100));
  const text = await loadGlob("*", {
    directory,
    files,
    globs: new GlobWalker(),
    confinement: null,
  });
  expect(text).toEndWith("[Cut here: the rest, after 100 bytes, is left out.]");
  expect(files.counters.reads).toBe(2);
});

test("the last line breaks of a file are left out, as of a command's output", async () => {
  const { write, follower } = inFolder({ file: "a.txt", update: "{value}, not {previous}." }, 1000);
  write("a.txt", "  Ada\n \n");
  expect(await follower.boundary()).toBe("team/own:\n  Ada");
  write("a.txt", "  Ada\r\n");
  expect(await follower.boundary()).toBeNull();
  write("a.txt", "Grace\n");
  expect(await follower.boundary()).toBe("Grace, not   Ada.");
});
