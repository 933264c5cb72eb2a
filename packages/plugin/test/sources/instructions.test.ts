import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { absent, type LoadResult, Unavailable } from "../../src/context/source.ts";
import {
  createUnconfinedSettings,
  FileCache,
  type FileObservation,
} from "../../src/sources/file-cache.ts";
import { deriveHostScope, type InstructionScope } from "../../src/sources/instruction-scope.ts";
import type { Instructions } from "../../src/sources/instruction-text.ts";
import { UrlCache, urlCacheDefaults } from "../../src/sources/instruction-urls.ts";
import { createInstructionsSource } from "../../src/sources/instructions.ts";
import { write } from "./host-layouts.ts";
import { scratchFolders } from "./scratch-folder.ts";

const scratchFolder = scratchFolders();

function setUp(files: Readonly<Record<string, string>>, over: Partial<InstructionScope> = {}) {
  const root = scratchFolder();
  write(root, { "project/sub/.keep": "", "config/.keep": "", "home/.keep": "", ...files });
  const scope: InstructionScope = {
    directory: join(root, "project/sub"),
    worktree: join(root, "project"),
    configDirectory: join(root, "config"),
    homeDirectory: join(root, "home"),
    projectFiles: "read",
    claudeFiles: "read",
    configured: () => [],
    ...over,
  };
  const cache = new FileCache({
    ...createUnconfinedSettings(1_048_576),
    now: () => Date.now() + 60_000,
  });
  const urls = new UrlCache({ ...urlCacheDefaults, fetchBytes: async () => null });
  const source = createInstructionsSource({ scope, files: cache, urls, lastKnown: () => null });
  const found = async () => {
    const value = await source.load();
    if (value === absent || value instanceof Unavailable) return value;
    return value.map((one) => one.source.replace(`${root}/`, ""));
  };
  return { root, scope, cache, source, found };
}

const requireLoaded = async (
  load: LoadResult<Instructions> | Promise<LoadResult<Instructions>>,
) => {
  const value = await load;
  if (value === absent || value instanceof Unavailable) throw new Error("nothing loaded");
  return value;
};

describe("where instructions are found", () => {
  const table: readonly [string, readonly string[], readonly string[]][] = [
    ["nothing", [], []],
    ["the global file", ["config/AGENTS.md", "home/.claude/CLAUDE.md"], ["config/AGENTS.md"]],
    ["CLAUDE.md at home without one", ["home/.claude/CLAUDE.md"], ["home/.claude/CLAUDE.md"]],
    [
      "D1: nearest project file first, after the global one",
      ["config/AGENTS.md", "project/AGENTS.md", "project/sub/AGENTS.md"],
      ["config/AGENTS.md", "project/sub/AGENTS.md", "project/AGENTS.md"],
    ],
    [
      "the first name with any hit",
      ["project/AGENTS.md", "project/sub/CLAUDE.md", "project/sub/CONTEXT.md"],
      ["project/AGENTS.md"],
    ],
    [
      "CLAUDE.md before CONTEXT.md",
      ["project/CLAUDE.md", "project/sub/CONTEXT.md"],
      ["project/CLAUDE.md"],
    ],
    ["CONTEXT.md last", ["project/CONTEXT.md"], ["project/CONTEXT.md"]],
    [
      "D7: nothing above the project root",
      ["AGENTS.md", "project/AGENTS.md"],
      ["project/AGENTS.md"],
    ],
  ];
  test.each(table)("%s", async (_name, names, expected) => {
    const { found } = setUp(Object.fromEntries(names.map((name) => [name, name])));
    expect(await found()).toEqual(expected.length === 0 ? absent : [...expected]);
  });

  test("D6: the opt-out stops project discovery, not the global file", async () => {
    const files = {
      "config/AGENTS.md": "g",
      "config/r.md": "r",
      "project/AGENTS.md": "p",
      "project/r.md": "x",
    };
    const { found } = setUp(files, { projectFiles: "ignored", configured: () => ["r.md"] });
    expect(await found()).toEqual(["config/AGENTS.md", "config/r.md"]);
  });

  test.each([
    ["1", "ignored"],
    ["true", "ignored"],
    ["TRUE", "ignored"],
    ["0", "read"],
    ["", "read"],
    [undefined, "read"],
  ] as const)(
    "D6: OPENCODE_DISABLE_PROJECT_CONFIG=%s is read as the host reads it",
    async (value, reading) => {
      const { scope } = setUp({});
      const env = { OPENCODE_DISABLE_PROJECT_CONFIG: value };
      expect(deriveHostScope(scope, env, scope.homeDirectory).projectFiles).toBe(reading);
    },
  );

  test("CLAUDE.md counts nowhere where the host is told so", async () => {
    const files = { "home/.claude/CLAUDE.md": "h", "project/CLAUDE.md": "p" };
    expect(await setUp(files, { claudeFiles: "ignored" }).found()).toBe(absent);
  });

  test("D5: links are resolved before bounds are checked", async () => {
    const { root, scope, cache } = setUp({ "project/AGENTS.md": "p", "AGENTS.md": "above" });
    symlinkSync(join(root, "project/sub"), join(root, "link"));
    symlinkSync(join(root, "project"), join(root, "other"));
    const urls = new UrlCache();
    const loadSources = async (directory: string, worktree: string) => {
      const within = { ...scope, directory: join(root, directory), worktree: join(root, worktree) };
      const source = createInstructionsSource({
        scope: within,
        files: cache,
        urls,
        lastKnown: () => null,
      });
      const value = await source.load();
      return value === absent || value instanceof Unavailable
        ? value
        : value.map((one) => one.source);
    };
    expect(await loadSources("link", "project")).toEqual([join(root, "project/AGENTS.md")]);
    expect(await loadSources("project/sub", "other")).toEqual([join(root, "project/AGENTS.md")]);
    expect(await loadSources("home", "project")).toBe(absent);
  });

  test("configured files come last, each once, in their order", async () => {
    const { found, root } = setUp(
      {
        "project/AGENTS.md": "p",
        "project/x/1.md": "1",
        "project/sub/x/2.md": "2",
        "home/m.md": "m",
      },
      { configured: () => ["AGENTS.md", "x/*.md", "~/m.md", "~/none.md", "x/1.md"] },
    );
    expect(await found()).toEqual([
      "project/AGENTS.md",
      "project/sub/x/2.md",
      "project/x/1.md",
      "home/m.md",
    ]);
    expect(root).toStartWith("/");
  });

  test("the host's environment decides the scope", () => {
    const place = { directory: "/p", worktree: "/p", configured: () => [] };
    expect(deriveHostScope(place, {}, "/h")).toMatchObject({
      configDirectory: "/h/.config/opencode",
      projectFiles: "read",
      claudeFiles: "read",
    });
    const env = {
      OPENCODE_CONFIG_DIR: "/c",
      OPENCODE_DISABLE_PROJECT_CONFIG: "TRUE",
      OPENCODE_DISABLE_CLAUDE_CODE: "yes",
    };
    expect(deriveHostScope(place, env, "/h")).toMatchObject({
      configDirectory: "/c",
      projectFiles: "ignored",
      claudeFiles: "ignored",
    });
    for (const flag of ["yes", "xtrue", "true1"]) {
      const { projectFiles } = deriveHostScope(
        place,
        { OPENCODE_DISABLE_PROJECT_CONFIG: flag },
        "/h",
      );
      expect(projectFiles).toBe("read");
    }
    for (const flag of ["xyes", "yes1", "YES"]) {
      const { claudeFiles } = deriveHostScope(place, { OPENCODE_DISABLE_CLAUDE_CODE: flag }, "/h");
      expect(claudeFiles).toBe("read");
    }
    const homes = [{}, { OPENCODE_TEST_HOME: "/t" }].map((env) =>
      deriveHostScope(place, env, "/h"),
    );
    expect(homes.map(({ homeDirectory }) => homeDirectory)).toEqual(["/h", "/t"]);
  });
});

describe("what is told of them", () => {
  test("D1: an edit gives the whole set anew, losing one the remaining set, losing all a removal", async () => {
    const { root, source } = setUp({ "config/AGENTS.md": "global", "project/AGENTS.md": "old" });
    const before = await requireLoaded(source.load());
    writeFileSync(join(root, "project/AGENTS.md"), "new rules");
    const edited = await requireLoaded(source.load());
    expect(source.update(before, edited)).toBe(
      `These instructions replace all previously loaded ambient instructions.\n\nInstructions from: ${root}/config/AGENTS.md\nglobal\n\nInstructions from: ${root}/project/AGENTS.md\nnew rules`,
    );
    rmSync(join(root, "config/AGENTS.md"));
    const fewer = await requireLoaded(source.load());
    expect(source.update(edited, fewer)).not.toContain("global");
    rmSync(join(root, "project/AGENTS.md"));
    expect(await source.load()).toBe(absent);
    expect(source.removed?.(fewer)).toBe("Previously loaded instructions no longer apply.");
  });

  test("I6: a file that is found in two ways and saved between the two looks is told as it stands", async () => {
    const { root, source, cache } = setUp(
      { "project/AGENTS.md": "old" },
      { configured: () => ["AGENTS.md"] },
    );
    const path = join(root, "project/AGENTS.md");
    const observe = cache.observe.bind(cache);
    const lookAndSave = async () => {
      const seen = await observe(path);
      writeFileSync(path, "new rules");
      return seen;
    };
    let former: Promise<FileObservation> | null = null;
    cache.observe = (asked) => {
      if (asked !== path) return observe(asked);
      former = former?.then(() => observe(path)) ?? lookAndSave();
      return former;
    };
    expect(await requireLoaded(source.load())).toEqual([{ source: path, content: "old" }]);
    expect(await requireLoaded(source.load())).toEqual([{ source: path, content: "new rules" }]);
  });

  test("the same text in another file is another value", async () => {
    const { root, source } = setUp({ "project/AGENTS.md": "text" });
    const first = await requireLoaded(source.load());
    rmSync(join(root, "project/AGENTS.md"));
    writeFileSync(join(root, "project/CLAUDE.md"), "text");
    const second = await requireLoaded(source.load());
    expect(first.map((one) => one.source)).toEqual([join(root, "project/AGENTS.md")]);
    expect(second.map((one) => one.source)).toEqual([join(root, "project/CLAUDE.md")]);
  });

  test("I2, D3: addresses stand by what was told of each, and with a file that can't be read nothing is said", async () => {
    const addresses = ["https://x/a", "https://x/b", "https://x/c"];
    const { root, scope, cache } = setUp({}, { configured: () => addresses });
    const urls = new UrlCache({ ...urlCacheDefaults, fetchBytes: async () => null });
    const told = [
      { source: "https://x/b", content: "B" },
      { source: "https://x/a", content: "A" },
    ];
    const source = createInstructionsSource({ scope, files: cache, urls, lastKnown: () => told });
    expect(await requireLoaded(source.load())).toEqual(told.toReversed());
    const loop = join(root, "project/AGENTS.md");
    symlinkSync(loop, loop);
    expect(await source.load()).toEqual(new Unavailable(`${loop}: ELOOP`));
  });

  test("D2: an empty file is context", async () => {
    const { root, source } = setUp({ "project/AGENTS.md": "" });
    const value = await requireLoaded(source.load());
    expect(value).toEqual([{ source: join(root, "project/AGENTS.md"), content: "" }]);
    expect(source.baseline(value)).toBe(`Instructions from: ${root}/project/AGENTS.md\n(empty)`);
  });

  test("D3: a file-system error is unavailable, so that what was admitted stays", async () => {
    const { root, source } = setUp({ "project/AGENTS.md": "p" });
    symlinkSync("AGENTS.md", join(root, "project/sub/AGENTS.md"));
    expect(await source.load()).toBeInstanceOf(Unavailable);
    rmSync(join(root, "project/sub/AGENTS.md"));
    expect(await requireLoaded(source.load())).toHaveLength(1);
  });

  test.skipIf(process.getuid?.() === 0)(
    "D3: a file that may not be read (root may read all)",
    async () => {
      const { root, source } = setUp({ "project/AGENTS.md": "p" });
      chmodSync(join(root, "project/AGENTS.md"), 0);
      expect(await source.load()).toBeInstanceOf(Unavailable);
    },
  );

  test("D9: links to nothing and folders in place of files are no instructions", async () => {
    const { root, source } = setUp({}, { configured: () => ["*.md", "gone.md"] });
    symlinkSync(join(root, "nowhere"), join(root, "project/gone.md"));
    mkdirSync(join(root, "project/AGENTS.md"));
    expect(await source.load()).toBe(absent);
  });

  test("what a pattern no longer finds is forgotten, whichever session has asked for it", async () => {
    const { root, scope, cache, source } = setUp(
      { "project/AGENTS.md": "p", "home/rule": "rule" },
      { configured: () => ["*.txt"] },
    );
    const given = { scope, files: cache, urls: new UrlCache(), lastKnown: () => null };
    const other = createInstructionsSource(given);
    const link = join(root, "project/rule.txt");
    symlinkSync(join(root, "home/rule"), link);
    expect(await requireLoaded(source.load())).toHaveLength(2);
    expect(await requireLoaded(other.load())).toHaveLength(2);
    expect(cache.counters.reads).toBe(2);
    rmSync(link);
    expect(await requireLoaded(other.load())).toHaveLength(1);
    symlinkSync(join(root, "home/rule"), link);
    expect(await requireLoaded(other.load())).toHaveLength(2);
    // Of the two only the one that was gone: AGENTS.md is asked for all the time.
    expect(cache.counters.reads).toBe(3);
  });

  test("I20: a pass without changes stats once a place, reads nothing and gives the same object", async () => {
    const { source, cache } = setUp({ "config/AGENTS.md": "g", "project/AGENTS.md": "p" });
    const first = await requireLoaded(source.load());
    const before = { ...cache.counters };
    expect(await requireLoaded(source.load())).toBe(first);
    expect(cache.counters).toEqual({ stats: before.stats + 3, reads: before.reads });
  });
});
