// Creates the key files feature: chooses a project's files and loads their outlines for sessions.
import { BoundedMap } from "../../context/bounded-map.ts";
import { absent, type LoadResult, Unavailable } from "../../context/source.ts";
import { createSystemContext, type SystemContext } from "../../context/system-context.ts";
import type { SearchIndex } from "../../feature-api/extension-points.ts";
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { toFaultFields } from "../../log/fault.ts";
import { findProjectPlace } from "../../project/find-project.ts";
import type { SessionId } from "../../storage/records.ts";
import { Grammars } from "./grammars.ts";
import {
  buildKeyFileList,
  createKeyFilesSource,
  type KeyFileList,
  type OutlinedFile,
} from "./key-file-listing.ts";
import {
  type FileTouch,
  type KeyFile,
  NO_FILES_TEXT,
  rankFiles,
  readProjectTouches,
  renderFiles,
} from "./key-file-rank.ts";
import { Outliner } from "./outliner.ts";
import { type KeyFileSettings, keyFileSettings } from "./settings.ts";

// Chooses a project's key files and loads their outlines for sessions.

/** No more files than this are shown. */
const MAX_FILES = 24;
/** A ranking is reused for this long, because it changes slowly. */
const RANKING_LIFETIME_MS = 10 * 60_000;
const MAX_CACHED_SESSIONS = 64;
/** The budget is small because each session of the project begins with these outlines. */
const KEY_FILES_BUDGET_TOKENS = 1_000;

interface KeyFilesDeps {
  /** Rejects if the touches can't be read now. */
  readonly touches: () => Promise<readonly FileTouch[]>;
  readonly outliner: Outliner;
  readonly settings: KeyFileSettings;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

/** Holds what a session was last shown. */
interface ShownFiles {
  /** Chosen once per session: a file that becomes a key file later appears in the next session. */
  readonly paths: readonly string[];
  readonly stamps: string;
  readonly list: KeyFileList;
}

export class KeyFiles {
  #ranked: { readonly atMs: number; readonly files: readonly KeyFile[] } | null = null;
  readonly #shown = new BoundedMap<SessionId, ShownFiles>(MAX_CACHED_SESSIONS);

  constructor(private readonly deps: KeyFilesDeps) {}

  /** Returns synchronously if no file has changed. */
  load(sessionId: SessionId): LoadResult<KeyFileList> | Promise<LoadResult<KeyFileList>> {
    try {
      const shown = this.#shown.get(sessionId);
      if (shown && this.#readStamps(shown.paths) === shown.stamps)
        return toAbsentIfEmpty(shown.list);
      return this.#outlineFiles(sessionId, shown?.paths ?? null).then(
        toAbsentIfEmpty,
        toUnavailable,
      );
    } catch (error) {
      return toUnavailable(error);
    }
  }

  /** Returns pinned files, then ranked ones; all of them exist. Rejects if they can't be read now. */
  async chooseFiles(): Promise<readonly string[]> {
    const { pinned, banned } = this.deps.settings;
    const isBanned = (path: string) =>
      banned.some((one) => path === one || path.startsWith(one.endsWith("/") ? one : `${one}/`));
    const paths = [...pinned, ...(await this.rankFiles()).map(({ path }) => path)];
    const chosen: string[] = [];
    for (const path of new Set(paths)) {
      if (chosen.length >= MAX_FILES) break;
      if (!isBanned(path) && this.deps.outliner.readStamp(path) !== null) chosen.push(path);
    }
    return chosen;
  }

  /** Rejects if the files can't be read now. */
  async rankFiles(): Promise<readonly KeyFile[]> {
    const nowMs = this.deps.now();
    if (!this.#ranked || nowMs - this.#ranked.atMs >= RANKING_LIFETIME_MS) {
      this.#ranked = { atMs: nowMs, files: rankFiles(await this.deps.touches()) };
    }
    return this.#ranked.files;
  }

  forget(sessionId: SessionId): void {
    this.#shown.delete(sessionId);
  }

  #readStamps(paths: readonly string[]): string {
    return paths.map((path) => this.deps.outliner.readStamp(path)).join("\n");
  }

  async #outlineFiles(sessionId: SessionId, shown: readonly string[] | null): Promise<KeyFileList> {
    const paths = shown ?? (await this.chooseFiles());
    const stamps = this.#readStamps(paths);
    const outlines = await Promise.all(paths.map((path) => this.deps.outliner.outline(path)));
    const files = outlines.filter((file): file is OutlinedFile => file !== null);
    const read = buildKeyFileList(files, KEY_FILES_BUDGET_TOKENS);
    const former = this.#shown.get(sessionId)?.list;
    // Returns the same object while nothing changes, so that it is encoded once.
    const list = former && JSON.stringify(former) === JSON.stringify(read) ? former : read;
    this.#shown.set(sessionId, { paths, stamps, list });
    return list;
  }
}

function toAbsentIfEmpty(list: KeyFileList): KeyFileList | typeof absent {
  return list.files.length === 0 ? absent : list;
}

/** After a failed read the last known value stays in effect. */
function toUnavailable(error: unknown): Unavailable {
  return new Unavailable(error instanceof Error ? error.message : String(error));
}

interface KeyFilesFeatureDeps {
  readonly index: Pick<SearchIndex, "file">;
}

export function createKeyFilesFeature(
  context: FeatureContext,
  { index: { file: index } }: KeyFilesFeatureDeps,
): FeatureInstance {
  const { config, location, log, now, project } = context;
  const settings = selectSettings(config, keyFileSettings);
  const logFailure = (error: unknown) => log.warn("key_files.failed", toFaultFields(error));
  const outliner = new Outliner({
    ...findProjectPlace(location.directory),
    failed: logFailure,
    grammars: new Grammars(),
  });
  const readTouches = async () => {
    const id = await project.id();
    return index.use((store) => readProjectTouches(store, id));
  };
  const files = new KeyFiles({ touches: readTouches, outliner, settings, now });
  const contexts = new BoundedMap<string, SystemContext>(MAX_CACHED_SESSIONS);
  const createSource = (sessionId: SessionId) =>
    createSystemContext(createKeyFilesSource(() => files.load(sessionId)));
  return {
    sources: ({ sessionId }) =>
      contexts.getOrCreate(sessionId, () => createSource(sessionId as SessionId)),
    commands: [
      {
        kind: "action",
        name: "ctx-files",
        dialog: () => null,
        act: async () => ({
          text: await renderRankedFiles(files, settings.pinned),
          shownBy: "note",
        }),
      },
    ],
    hooks: {
      onEvent({ kind, sessionId }) {
        if (kind !== "deleted") return;
        contexts.delete(sessionId);
        files.forget(sessionId);
      },
      closed: () => index.close(),
    },
  };
}

async function renderRankedFiles(files: KeyFiles, pinned: readonly string[]): Promise<string> {
  const chosen = new Set(await files.chooseFiles());
  const ranked = (await files.rankFiles()).filter(({ path }) => !pinned.includes(path));
  if (ranked.length + pinned.length === 0) return NO_FILES_TEXT;
  const list = renderFiles(ranked, (path) => chosen.has(path), pinned);
  return `${list}\n\n*: new sessions get its outline, as far as 1,000 tokens allow.`;
}
