// A project's key files as one plugin instance gives them to its sessions.

import { BoundedMap } from "../../context/bounded-map.ts";
import { absent, type LoadResult, Unavailable } from "../../context/source.ts";
import type { SessionId } from "../../storage/records.ts";
import { buildKeyFileList, type KeyFileList, type OutlinedFile } from "./key-file-listing.ts";
import { type KeyFile, rankFiles, type Touch } from "./key-file-rank.ts";
import type { KeyFileSettings } from "./key-file-settings.ts";
import type { Outliner } from "./outliner.ts";

/** More are never shown. */
const MAX_FILES = 24;
/** Which files are key changes slowly. */
const RANKED_FOR_MS = 10 * 60_000;
const MAX_SESSIONS = 64;
/** Each session of the project begins with them. */
const BUDGET_TOKENS = 1_000;

interface KeyFilesDeps {
  /** Rejects where they can't be read now. */
  readonly touches: () => Promise<readonly Touch[]>;
  readonly outliner: Outliner;
  readonly settings: KeyFileSettings;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What a session was last shown. */
interface ShownFiles {
  /** Chosen once: a file that becomes key while a session runs is its next one's. */
  readonly paths: readonly string[];
  readonly stamps: string;
  readonly list: KeyFileList;
}

export class KeyFiles {
  #ranked: { readonly atMs: number; readonly files: readonly KeyFile[] } | null = null;
  readonly #shown = new BoundedMap<SessionId, ShownFiles>(MAX_SESSIONS);

  constructor(private readonly deps: KeyFilesDeps) {}

  /** At once where nothing has moved. */
  load(sessionId: SessionId): LoadResult<KeyFileList> | Promise<LoadResult<KeyFileList>> {
    try {
      const shown = this.#shown.get(sessionId);
      if (shown && this.#stamps(shown.paths) === shown.stamps) return orAbsent(shown.list);
      return this.#outlined(sessionId, shown?.paths ?? null).then(orAbsent, unavailable);
    } catch (error) {
      return unavailable(error);
    }
  }

  /** Pinned ones, then those that rank; each is there. Rejects where they can't be read now. */
  async chosen(): Promise<readonly string[]> {
    const { pinned, banned } = this.deps.settings;
    const isBanned = (path: string) =>
      banned.some((one) => path === one || path.startsWith(one.endsWith("/") ? one : `${one}/`));
    const paths = [...pinned, ...(await this.ranked()).map(({ path }) => path)];
    const chosen: string[] = [];
    for (const path of new Set(paths)) {
      if (chosen.length >= MAX_FILES) break;
      if (!isBanned(path) && this.deps.outliner.stamp(path) !== null) chosen.push(path);
    }
    return chosen;
  }

  /** Rejects where they can't be read now. */
  async ranked(): Promise<readonly KeyFile[]> {
    const nowMs = this.deps.now();
    if (!this.#ranked || nowMs - this.#ranked.atMs >= RANKED_FOR_MS) {
      this.#ranked = { atMs: nowMs, files: rankFiles(await this.deps.touches()) };
    }
    return this.#ranked.files;
  }

  forget(sessionId: SessionId): void {
    this.#shown.delete(sessionId);
  }

  #stamps(paths: readonly string[]): string {
    return paths.map((path) => this.deps.outliner.stamp(path)).join("\n");
  }

  async #outlined(sessionId: SessionId, shown: readonly string[] | null): Promise<KeyFileList> {
    const paths = shown ?? (await this.chosen());
    const stamps = this.#stamps(paths);
    const outlines = await Promise.all(paths.map((path) => this.deps.outliner.outline(path)));
    const files = outlines.filter((file): file is OutlinedFile => file !== null);
    const read = buildKeyFileList(files, BUDGET_TOKENS);
    const former = this.#shown.get(sessionId)?.list;
    // The same object while nothing changes: it is encoded once.
    const list = former && JSON.stringify(former) === JSON.stringify(read) ? former : read;
    this.#shown.set(sessionId, { paths, stamps, list });
    return list;
  }
}

function orAbsent(list: KeyFileList): KeyFileList | typeof absent {
  return list.files.length === 0 ? absent : list;
}

/** What can't be read now says nothing and forgets nothing. */
function unavailable(error: unknown): Unavailable {
  return new Unavailable(error instanceof Error ? error.message : String(error));
}
