import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Unavailable } from "../../src/context/source.ts";
import type { FileCache, FileObservation } from "../../src/sources/file-cache.ts";
import type { GlobWalker } from "../../src/sources/glob-walk.ts";
import { InstructionDiscovery } from "../../src/sources/instruction-discovery.ts";
import type { InstructionScope } from "../../src/sources/instruction-scope.ts";
import { scratchFolders } from "./scratch-folder.ts";

const scratchFolder = scratchFolders();

/** A search over files that a list has, and what of it was asked. */
function stage(over: Partial<InstructionScope> = {}) {
  const seen: Record<string, FileObservation> = {};
  const asked: string[] = [];
  const state = { still: true, matches: [] as readonly string[] | Unavailable };
  const files = {
    observe: (path: string) => {
      asked.push(path);
      return seen[path] ?? "missing";
    },
    isCurrent: () => state.still,
    keepFor: () => undefined,
  } as unknown as FileCache;
  const walks: unknown[] = [];
  const globs = {
    findFiles: async (pattern: string, { cwd, dots }: { cwd: string; dots: string }) => {
      walks.push([pattern, cwd, dots]);
      return state.matches;
    },
  } as unknown as GlobWalker;
  const configured: string[] = [];
  const scope: InstructionScope = {
    ...{ directory: "/w", worktree: "/w", configDirectory: "/config", homeDirectory: "/home" },
    ...{ projectFiles: "read", claudeFiles: "ignored", configured: () => [...configured], ...over },
  };
  const discovery = new InstructionDiscovery(scope, files, globs);
  const file = (path: string) => {
    seen[path] = { path, content: path };
  };
  const paths = async () => {
    const found = await discovery.find();
    return found instanceof Unavailable ? found : found.map(({ path }) => path);
  };
  return { seen, asked, walks, state, configured, discovery, file, paths };
}

describe("a search", () => {
  test("I20: is not made again while all that it asked is as it was", async () => {
    const { asked, state, discovery, file } = stage();
    file("/w/AGENTS.md");
    const found = await discovery.find();
    expect(discovery.find()).toBe(found);
    const { length } = asked;
    state.still = false;
    expect(await discovery.find()).toEqual(found);
    expect(asked.length).toBeGreaterThan(length);
  });

  test("is made again where other files are configured, where a pattern is, and where one failed", async () => {
    const { seen, state, configured, discovery, file, paths } = stage();
    file("/w/a.md");
    file("/w/b.md");
    configured.push("a.md");
    expect(await paths()).toEqual(["/w/a.md"]);
    configured.push("b.md");
    expect(await paths()).toEqual(["/w/a.md", "/w/b.md"]);
    configured.push("*.md");
    await paths();
    expect(discovery.find()).toBeInstanceOf(Promise);
    configured.splice(1);
    seen["/w/a.md"] = new Unavailable("EIO");
    state.still = false;
    expect(await paths()).toEqual(new Unavailable("EIO"));
    state.still = true;
    expect(discovery.find()).toBeInstanceOf(Promise);
  });

  test("finds each file once, and asks for no address, no folder and no empty name", async () => {
    const { asked, configured, file, paths } = stage();
    file("/w/AGENTS.md");
    configured.push("AGENTS.md", "https://x/a", "http://x/a", "docs/", "", "/abs/a.md");
    expect(await paths()).toEqual(["/w/AGENTS.md"]);
    expect(asked.toSorted()).toEqual(["/abs/a.md", "/config/AGENTS.md", "/w/AGENTS.md"]);
  });

  test("asks for the names that count in each folder up to the root, and for no other", async () => {
    const place = { directory: "/w/a", worktree: "/w" };
    const names = async (claudeFiles: "read" | "ignored") => {
      const { asked, paths } = stage({ ...place, claudeFiles });
      expect(await paths()).toEqual([]);
      return asked.filter((path) => path.startsWith("/w"));
    };
    const own = (name: string) => [`/w/a/${name}`, `/w/${name}`];
    expect(await names("ignored")).toEqual([...own("AGENTS.md"), ...own("CONTEXT.md")]);
    expect(await names("read")).toEqual(
      [own("AGENTS.md"), own("CLAUDE.md"), own("CONTEXT.md")].flat(),
    );
  });

  test("D7: a directory that lies outside the project has no project files", async () => {
    const folder = scratchFolder();
    const [directory, worktree] = [join(folder, "here"), join(folder, "there")];
    mkdirSync(directory);
    mkdirSync(worktree);
    const { asked, configured, paths } = stage({ directory, worktree });
    configured.push("a.md");
    expect(await paths()).toEqual([]);
    expect(asked).toEqual(["/config/AGENTS.md"]);
  });

  test("walks a relative pattern in each folder, and of an absolute one the last name in its own", async () => {
    const { walks, configured, paths } = stage({ directory: "/w/a", worktree: "/w" });
    configured.push("x/*.md", "/abs/[y]/*.md");
    await paths();
    expect(walks).toEqual([
      ["*.md", "/abs/[y]", "unmatched"],
      ["x/*.md", "/w/a", "matched"],
      ["x/*.md", "/w", "matched"],
    ]);
  });

  test("D3: a folder that can't be followed leaves all unsaid, also where nothing is configured", async () => {
    const directory = join(scratchFolder(), "none");
    const { paths } = stage({ directory, worktree: "/w" });
    expect(await paths()).toBeInstanceOf(Unavailable);
  });

  test("D4: a listed file that is gone leaves all unsaid; one that leads nowhere is none", async () => {
    const folder = scratchFolder();
    const { state, configured, paths } = stage();
    configured.push("*.md");
    const broken = join(folder, "broken.md");
    symlinkSync(join(folder, "nothing"), broken);
    state.matches = [broken];
    expect(await paths()).toEqual([]);
    const gone = join(folder, "gone.md");
    state.matches = [broken, gone];
    expect(await paths()).toEqual(new Unavailable(`${gone} vanished`));
    state.matches = new Unavailable("its pattern takes more than 50 steps to match");
    expect(await paths()).toEqual(state.matches);
  });

  test("D3: a folder that can't be followed leaves all unsaid, until it can be", async () => {
    const folder = scratchFolder();
    const [directory, worktree] = [join(folder, "link/sub"), join(folder, "real")];
    const { configured, file, paths } = stage({ directory, worktree });
    configured.push("a.md");
    const failed = (await paths()) as Unavailable;
    expect(failed).toBeInstanceOf(Unavailable);
    expect(failed.reason).toContain(`${directory}: `);
    mkdirSync(join(worktree, "sub"), { recursive: true });
    symlinkSync(worktree, join(folder, "link"));
    file(join(worktree, "sub/a.md"));
    expect(await paths()).toEqual([join(worktree, "sub/a.md")]);
  });
});
