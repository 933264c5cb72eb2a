// Finds the instruction files that the host would render, in the host's order.
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { Unavailable } from "../context/source.ts";
import { type FileCache, type FileObservation, type FileText, isFileText } from "./file-cache.ts";
import { type DotNameMatching, isPattern } from "./glob-pattern.ts";
import { GlobWalker } from "./glob-walk.ts";
import type { InstructionScope } from "./instruction-scope.ts";
import { isWithin } from "./read-file.ts";

// Compares lists of texts.

/** Says whether both lists hold the same texts in the same order. */
export function areTextsEqual(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((text, index) => text === right[index]);
}

type FileFinding = readonly [path: string, observation: FileObservation];

/** Lists existing regular files, each once; Unavailable if any of them could not be observed. */
export type FoundFiles = readonly FileText[] | Unavailable;

type SearchFolders = readonly string[] | Unavailable;

/** A search that can be repeated by checking the same files. */
interface CachedSearch {
  readonly configured: readonly string[];
  readonly asked: ReadonlyMap<string, FileObservation>;
  readonly found: readonly FileText[];
}

/**
 * Finds the files of one Location that the host would render, in its order: the global one, then the first
 * name found anywhere between directory and project root (nearest first), then the configured ones. It only
 * stats while nothing changes and no pattern is configured.
 */
export class InstructionDiscovery {
  #upward: Promise<readonly string[]> | null = null;
  #last: CachedSearch | null = null;

  constructor(
    private readonly scope: InstructionScope,
    private readonly files: FileCache,
    private readonly globs = new GlobWalker(),
  ) {}

  find(): FoundFiles | Promise<FoundFiles> {
    return this.#reuseLast() ?? this.#search();
  }

  /** Returns the last search's result if all of its files are unchanged; null if a new search is needed. */
  #reuseLast(): readonly FileText[] | null {
    const last = this.#last;
    if (!last || !areTextsEqual(last.configured, listConfiguredFiles(this.scope))) return null;
    for (const [path, seen] of last.asked) if (!this.files.isCurrent(path, seen)) return null;
    return last.found;
  }

  async #search(): Promise<FoundFiles> {
    const configured = listConfiguredFiles(this.scope);
    const search = new InstructionSearch(this.scope, this.files, this.globs, configured, () =>
      this.#listFolders(),
    );
    const found = await search.find();
    // All sessions of a Location search alike, so a file that the newest search did not use belongs to none of them.
    this.files.keepFor(this.scope, new Set(search.asked.keys()));
    // A pattern's folders have to be listed each time, so a search with one can't be repeated by checking
    // files.
    const isRepeatable = !(found instanceof Unavailable) && !configured.some(isPattern);
    this.#last = isRepeatable ? { configured, asked: search.asked, found } : null;
    return found;
  }

  /**
   * Returns the folders that are searched upward, nearest first; computed once, because a Location never
   * changes.
   */
  async #listFolders(): Promise<SearchFolders> {
    this.#upward ??= listFoldersUpward(this.scope.directory, this.scope.worktree);
    try {
      return await this.#upward;
    } catch (error) {
      this.#upward = null;
      return new Unavailable(`${this.scope.directory}: ${String(error)}`);
    }
  }
}

/**
 * Performs one search and records its paths. Each path is observed only once, so that every part of the
 * search sees the same file.
 */
class InstructionSearch {
  readonly asked = new Map<string, FileObservation>();
  readonly #observing = new Map<string, FileObservation | Promise<FileObservation>>();

  constructor(
    private readonly scope: InstructionScope,
    private readonly files: FileCache,
    private readonly globs: GlobWalker,
    private readonly configured: readonly string[],
    private readonly folders: () => Promise<SearchFolders>,
  ) {}

  async find(): Promise<FoundFiles> {
    const [global, project, configured] = await Promise.all([
      this.#findGlobal(),
      this.#findProject(),
      this.#findConfigured(),
    ]);
    const observations = [...new Map([...global, ...project, ...configured]).values()];
    const failed = observations.find((observation) => observation instanceof Unavailable);
    return failed ?? observations.filter(isFileText);
  }

  async #findGlobal(): Promise<readonly FileFinding[]> {
    const { configDirectory, homeDirectory, claudeFiles } = this.scope;
    const own = resolve(join(configDirectory, "AGENTS.md"));
    const observation = await this.#observe(own);
    if (observation !== "missing" || claudeFiles === "ignored") return [[own, observation]];
    return this.#observeAll([resolve(join(homeDirectory, ".claude", "CLAUDE.md"))]);
  }

  async #findProject(): Promise<readonly FileFinding[]> {
    if (this.scope.projectFiles === "ignored") return [];
    const claude = this.scope.claudeFiles === "read" ? ["CLAUDE.md"] : [];
    const folders = await this.folders();
    if (folders instanceof Unavailable) return [[this.scope.directory, folders]];
    for (const name of ["AGENTS.md", ...claude, "CONTEXT.md"]) {
      const all = await this.#observeAll(folders.map((folder) => resolve(folder, name)));
      const found = all.filter(([, observation]) => observation !== "missing");
      if (found.length > 0) return found;
    }
    return [];
  }

  async #findConfigured(): Promise<readonly FileFinding[]> {
    return (
      await Promise.all(this.configured.map((entry) => this.#findConfiguredEntry(entry)))
    ).flat();
  }

  async #findConfiguredEntry(entry: string): Promise<readonly FileFinding[]> {
    const { homeDirectory, projectFiles, configDirectory } = this.scope;
    const path = entry.startsWith("~/") ? join(homeDirectory, entry.slice(2)) : entry;
    if (path === "" || path.endsWith("/")) return [];
    // The host treats only the last name of an absolute path as a pattern.
    if (isAbsolute(path)) return this.#findMatches(basename(path), dirname(path), "unmatched");
    const folders = projectFiles === "read" ? await this.folders() : [configDirectory];
    if (folders instanceof Unavailable) return [[this.scope.directory, folders]];
    return (
      await Promise.all(folders.map((folder) => this.#findMatches(path, folder, "matched")))
    ).flat();
  }

  async #findMatches(
    pattern: string,
    folder: string,
    dots: DotNameMatching,
  ): Promise<readonly FileFinding[]> {
    if (!isPattern(pattern)) return this.#observeAll([resolve(folder, pattern)]);
    const paths = await this.globs.findFiles(pattern, { cwd: folder, dots, confinement: null });
    if (paths instanceof Unavailable) return [[resolve(folder, pattern), paths]];
    return Promise.all(paths.map((path) => this.#observeListed(resolve(path))));
  }

  #observeAll(paths: readonly string[]): Promise<readonly FileFinding[]> {
    return Promise.all(paths.map(async (path) => [path, await this.#observe(path)] as const));
  }

  async #observe(path: string): Promise<FileObservation> {
    const observing = this.#observing.get(path) ?? this.files.observe(path);
    this.#observing.set(path, observing);
    const observation = await observing;
    this.asked.set(path, observation);
    return observation;
  }

  /** Observes a listed file; a missing one is a broken link, or it has just vanished (D4). */
  async #observeListed(path: string): Promise<FileFinding> {
    const observation = await this.#observe(path);
    if (observation !== "missing") return [path, observation];
    const link = await lstat(path).catch(() => null);
    return [path, link === null ? new Unavailable(`${path} vanished`) : "irregular"];
  }
}

/** Lists the configured paths and patterns. */
function listConfiguredFiles(scope: InstructionScope): readonly string[] {
  return scope.configured().filter((entry) => !isHttpUrl(entry));
}

export function isHttpUrl(entry: string): boolean {
  return entry.startsWith("https://") || entry.startsWith("http://");
}

/**
 * Returns the folders upward. Links are resolved before the bounds are checked (D5), and nothing above the
 * root counts (D7).
 */
async function listFoldersUpward(directory: string, worktree: string): Promise<readonly string[]> {
  if (isWithin(worktree, directory)) return listFoldersUpTo(resolve(directory), resolve(worktree));
  const [start, stop] = await Promise.all([realpath(directory), realpath(worktree)]);
  return isWithin(stop, start) ? listFoldersUpTo(start, stop) : [];
}

function listFoldersUpTo(start: string, stop: string): readonly string[] {
  const folders = [start];
  for (let at = start; at !== stop && dirname(at) !== at; at = dirname(at)) {
    folders.push(dirname(at));
  }
  return folders;
}
