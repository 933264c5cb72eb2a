// Indexes commits in the search index, as documents of the project's own collection.
import { parseFields } from "../../context/fields.ts";
import type { Term } from "../../feature-api/finders.ts";
import type { Ref } from "../../ledger/ref.ts";
import { toProjectScope } from "../../search-index/collection.ts";
import { FIELD_SEPARATOR } from "../../search-index/columns.ts";
import type { IndexedDocument } from "../../search-index/document.ts";
import type { IndexStore } from "../../search-index/store.ts";
import type { ProjectId } from "../../storage/records.ts";
import type { Commit } from "./commit-log.ts";

export interface IndexedCommit extends Commit {
  readonly ref: Ref;
}

/** Records how far a folder's history is indexed. */
export interface IndexExtent {
  /** The whole history up to this commit is indexed; null if that holds for no commit. */
  readonly whole: string | null;
  /**
   * The commit up to which the history is being indexed, or was when a process ended; null if no update is under way.
   */
  readonly goal: string | null;
  /** The digest of the commits at which a shallow clone's history ends; null if the history is complete. */
  readonly cut: string | null;
}

/** Extents by folder, because a project's worktrees and clones may be at different commits. */
export type IndexExtents = ReadonlyMap<string, IndexExtent>;

const EXTENT_PATTERN = /^([0-9a-f]{40,64})?(?:>([0-9a-f]{40,64}))?(?:~([0-9a-f]{16}))?$/;
const MAX_FOUND_COMMITS = 5;
/** A query of at least this many words also matches commits that lack one of them. */
const MIN_WORDS_FOR_LOOSE_MATCH = 3;

export class CommitIndex {
  constructor(private readonly store: IndexStore) {}

  readExtents(project: ProjectId): IndexExtents {
    return parseExtents(this.store.readHead(toProjectScope(project, "commit").sessionId));
  }

  /**
   * Records that an update begins. Must be called before its first commit is added: from then on no other
   * process removes what the update needs.
   */
  begin(project: ProjectId, directory: string, reach: IndexExtent): void {
    this.store.driver.transaction(() => {
      this.#storeExtents(project, new Map([...this.readExtents(project), [directory, reach]]));
    });
  }

  /**
   * Records that the folder's history is complete up to its goal, unless another update has begun or the index was
   * emptied.
   */
  finish(project: ProjectId, directory: string, { goal, cut }: IndexExtent): void {
    this.store.driver.transaction(() => {
      const reaches = new Map(this.readExtents(project));
      const begun = reaches.get(directory);
      if (begun?.goal !== goal || begun.cut !== cut) return;
      this.#storeExtents(project, reaches.set(directory, { whole: goal, goal: null, cut }));
    });
  }

  listHashes(project: ProjectId): readonly string[] {
    return [...this.store.readDigests(toProjectScope(project, "commit").sessionId).keys()];
  }

  /**
   * Adds commits; those that are indexed already stay as they are. @returns false if the commits don't fit,
   * in which case all of them were removed
   */
  add(project: ProjectId, commits: readonly Commit[]): boolean {
    return this.store.driver.transaction(() => {
      if (commits.every((commit) => this.#add(project, commit))) return true;
      this.store.removeSession(toProjectScope(project, "commit").sessionId);
      return false;
    });
  }

  /**
   * @returns false if a folder needs other commits than when the extents were read; nothing is removed then
   */
  remove(project: ProjectId, hashes: readonly string[], currentReaches: IndexExtents): boolean {
    return this.store.driver.transaction(() => {
      if (serializeExtents(this.readExtents(project)) !== serializeExtents(currentReaches))
        return false;
      this.store.remove(toProjectScope(project, "commit").sessionId, "c", hashes);
      return true;
    });
  }

  /** Finds commits that hold all terms; if there are none, those that hold all but one. Best first. */
  search(project: ProjectId, terms: readonly Term[]): readonly IndexedCommit[] {
    const phrases = terms.map(({ phrase }) => phrase);
    const all = this.#findMatching(project, phrases.join(" AND "));
    if (all.length > 0 || terms.length < MIN_WORDS_FOR_LOOSE_MATCH) return all;
    // In a query of three words or more, one may be missing: a commit that lacks more answers another question.
    const most = phrases.map(
      (_, at) => `(${phrases.filter((__, other) => other !== at).join(" AND ")})`,
    );
    return this.#findMatching(project, most.join(" OR "));
  }

  findByRef(project: ProjectId, ref: Ref): IndexedCommit | null {
    const [found] = this.store.findByRef(ref, this.#resolveRange(project));
    return found ? this.#toCommit(found) : null;
  }

  findByHash(project: ProjectId, hash: string): IndexedCommit | null {
    const found = this.store.findDocument(toProjectScope(project, "commit").sessionId, "c", hash);
    return found && this.#toCommit(found);
  }

  #storeExtents(project: ProjectId, reaches: IndexExtents): void {
    this.store.setHead(toProjectScope(project, "commit"), serializeExtents(reaches));
  }

  #findMatching(project: ProjectId, expression: string): readonly IndexedCommit[] {
    const found = this.store.findMatching(
      expression,
      this.#resolveRange(project),
      MAX_FOUND_COMMITS,
    );
    return found.map((one) => this.#toCommit(one));
  }

  #resolveRange(project: ProjectId) {
    return this.store.findRange(toProjectScope(project, "commit"), "session");
  }

  #add(project: ProjectId, { hash, madeAtMs, author, subject, body, files }: Commit): boolean {
    if (this.findByHash(project, hash)) return true;
    const text = [subject, body, files.join("\n"), author].join(FIELD_SEPARATOR);
    const words = `commit ${hash.slice(0, 10)} by ${author}`;
    return this.store.put(toProjectScope(project, "commit"), {
      record: { key: hash, messageId: "", kind: "commit", words, madeAtMs },
      digest: hash,
      passages: [{ line: 1, text }],
    });
  }

  #toCommit(document: IndexedDocument): IndexedCommit {
    const { key: hash, ref, madeAtMs } = document;
    const [passage] = this.store.readPassages(document, 0, 1);
    const [subject = "", body = "", names = "", author = ""] =
      passage?.text.split(FIELD_SEPARATOR) ?? [];
    const files = names === "" ? [] : names.split("\n");
    return { hash, ref, author, subject, body, madeAtMs, files };
  }
}

/** Encodes an extent as `hash`, `hash>goal` or `>goal`; for a shallow clone, `~` and `cut` follow. */
function serializeExtents(reaches: IndexExtents): string {
  const kept = [...reaches].map(([directory, { whole, goal, cut }]) => [
    directory,
    [whole ?? "", goal === null ? "" : `>${goal}`, cut === null ? "" : `~${cut}`].join(""),
  ]);
  return JSON.stringify(Object.fromEntries(kept));
}

/** Decodes extents; values in any other form are ignored. */
function parseExtents(kept: string | null): IndexExtents {
  const reaches = Object.entries(parseFields(kept ?? "") ?? {}).flatMap(([directory, value]) => {
    const [found, whole = null, goal = null, cut = null] = EXTENT_PATTERN.exec(String(value)) ?? [
      "",
    ];
    return found === "" ? [] : [[directory, { whole, goal, cut }] as const];
  });
  return new Map(reaches);
}
