// Commits in the search index: documents of their project's own shelf.

import { fieldsIn } from "../../context/fields.ts";
import type { Term } from "../../feature-api/finders.ts";
import type { Ref } from "../../ledger/ref.ts";
import { ownScope } from "../../search-index/collection.ts";
import { FIELD } from "../../search-index/columns.ts";
import type { IndexedDocument } from "../../search-index/document.ts";
import type { IndexStore } from "../../search-index/store.ts";
import type { ProjectId } from "../../storage/records.ts";
import type { Commit } from "./commit-log.ts";

export interface IndexedCommit extends Commit {
  readonly ref: Ref;
}

/** How far a folder's history is indexed. */
export interface IndexExtent {
  /** Up to there all of it is; null: not all of it up to any commit. */
  readonly whole: string | null;
  /** Up to there it is being indexed, or was to be when a process ended; null: nobody is at it. */
  readonly goal: string | null;
  /** Where the history ended, in a shallow clone; null: with its first commits. */
  readonly cut: string | null;
}

/** By folder: worktrees and clones of a project may each stand at another commit. */
export type IndexExtents = ReadonlyMap<string, IndexExtent>;

const KEPT = /^([0-9a-f]{40,64})?(?:>([0-9a-f]{40,64}))?(?:~([0-9a-f]{16}))?$/;
const MAX_FOUND = 5;
/** So many words may do with one less. */
const MIN_LOOSE_WORDS = 3;

export class CommitIndex {
  constructor(private readonly store: IndexStore) {}

  reaches(project: ProjectId): IndexExtents {
    return parseReaches(this.store.head(ownScope(project, "commit").sessionId));
  }

  /** Before the first commit of an update is added: nobody takes away from then on what it needs. */
  begin(project: ProjectId, directory: string, reach: IndexExtent): void {
    this.store.driver.transaction(() => {
      this.#keep(project, new Map([...this.reaches(project), [directory, reach]]));
    });
  }

  /** All of the folder's history up to its goal is there, unless another update has begun, or all is gone since. */
  finish(project: ProjectId, directory: string, { goal, cut }: IndexExtent): void {
    this.store.driver.transaction(() => {
      const reaches = new Map(this.reaches(project));
      const begun = reaches.get(directory);
      if (begun?.goal !== goal || begun.cut !== cut) return;
      this.#keep(project, reaches.set(directory, { whole: goal, goal: null, cut }));
    });
  }

  hashes(project: ProjectId): readonly string[] {
    return [...this.store.digests(ownScope(project, "commit").sessionId).keys()];
  }

  /** One that is there is left as it is. @returns false: there was no room, and all of them are gone now */
  add(project: ProjectId, commits: readonly Commit[]): boolean {
    return this.store.driver.transaction(() => {
      if (commits.every((commit) => this.#add(project, commit))) return true;
      this.store.removeSession(ownScope(project, "commit").sessionId);
      return false;
    });
  }

  /** @returns false: a folder needs others by now than when the reaches were read, and nothing is removed */
  remove(project: ProjectId, hashes: readonly string[], currentReaches: IndexExtents): boolean {
    return this.store.driver.transaction(() => {
      if (written(this.reaches(project)) !== written(currentReaches)) return false;
      this.store.remove(ownScope(project, "commit").sessionId, "c", hashes);
      return true;
    });
  }

  /** Those that hold all terms, and where there are none, those that hold all but one; best first. */
  search(project: ProjectId, terms: readonly Term[]): readonly IndexedCommit[] {
    const phrases = terms.map(({ phrase }) => phrase);
    const all = this.#matching(project, phrases.join(" AND "));
    if (all.length > 0 || terms.length < MIN_LOOSE_WORDS) return all;
    // Of three words or more, all but one: what holds fewer answers another question.
    const most = phrases.map(
      (_, at) => `(${phrases.filter((__, other) => other !== at).join(" AND ")})`,
    );
    return this.#matching(project, most.join(" OR "));
  }

  byRef(project: ProjectId, ref: Ref): IndexedCommit | null {
    const [found] = this.store.withRef(ref, this.#range(project));
    return found ? this.#toCommit(found) : null;
  }

  byHash(project: ProjectId, hash: string): IndexedCommit | null {
    const found = this.store.document(ownScope(project, "commit").sessionId, "c", hash);
    return found && this.#toCommit(found);
  }

  #keep(project: ProjectId, reaches: IndexExtents): void {
    this.store.setHead(ownScope(project, "commit"), written(reaches));
  }

  #matching(project: ProjectId, expression: string): readonly IndexedCommit[] {
    const found = this.store.matching(expression, this.#range(project), MAX_FOUND);
    return found.map((one) => this.#toCommit(one));
  }

  #range(project: ProjectId) {
    return this.store.range(ownScope(project, "commit"), "session");
  }

  #add(project: ProjectId, { hash, madeAtMs, author, subject, body, files }: Commit): boolean {
    if (this.byHash(project, hash)) return true;
    const text = [subject, body, files.join("\n"), author].join(FIELD);
    const words = `commit ${hash.slice(0, 10)} by ${author}`;
    return this.store.put(ownScope(project, "commit"), {
      record: { key: hash, messageId: "", kind: "commit", words, madeAtMs },
      digest: hash,
      passages: [{ line: 1, text }],
    });
  }

  #toCommit(document: IndexedDocument): IndexedCommit {
    const { key: hash, ref, madeAtMs } = document;
    const [passage] = this.store.passages(document, 0, 1);
    const [subject = "", body = "", names = "", author = ""] = passage?.text.split(FIELD) ?? [];
    const files = names === "" ? [] : names.split("\n");
    return { hash, ref, author, subject, body, madeAtMs, files };
  }
}

/** As it is kept: `hash`, `hash>goal`, or `>goal`; of a shallow clone with `~` and where it ends. */
function written(reaches: IndexExtents): string {
  const kept = [...reaches].map(([directory, { whole, goal, cut }]) => [
    directory,
    [whole ?? "", goal === null ? "" : `>${goal}`, cut === null ? "" : `~${cut}`].join(""),
  ]);
  return JSON.stringify(Object.fromEntries(kept));
}

/** A value of another form says nothing. */
function parseReaches(kept: string | null): IndexExtents {
  const reaches = Object.entries(fieldsIn(kept ?? "") ?? {}).flatMap(([directory, value]) => {
    const [found, whole = null, goal = null, cut = null] = KEPT.exec(String(value)) ?? [""];
    return found === "" ? [] : [[directory, { whole, goal, cut }] as const];
  });
  return new Map(reaches);
}
