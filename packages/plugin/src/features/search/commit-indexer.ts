// Keeps the commit index up to date with each folder's HEAD, in small steps between the host's own work.
import { existsSync } from "node:fs";
import { PASSAGES_PER_COLLECTION } from "../../search-index/collection.ts";
import type { IndexFile } from "../../search-index/file.ts";
import type { ProjectId } from "../../storage/records.ts";
import { CommitIndex, type IndexExtent, type IndexExtents } from "./commit-index.ts";
import {
  type Commit,
  countCommits,
  type Head,
  HeadWatch,
  hasCommit,
  isAncestor,
  readCommits,
  readHashes,
} from "./commit-log.ts";

interface CommitIndexerDeps {
  readonly file: IndexFile;
  readonly directory: string;
  readonly project: () => Promise<ProjectId>;
  /** A history with more commits than this is not indexed. */
  readonly most: number;
  readonly tooMany: (commits: number) => void;
  readonly failed: (error: unknown) => void;
  readonly pause: () => Promise<void>;
  readonly now: () => number;
}

/** The number of commits written at once, which takes a few milliseconds of the host's own thread. */
const COMMITS_PER_BATCH = 100;

export class CommitIndexer {
  readonly #stop = new AbortController();
  #running: Promise<void> | null = null;
  readonly #watch: HeadWatch;
  #isTooLong = false;

  constructor(private readonly deps: CommitIndexerDeps) {
    this.#watch = new HeadWatch(deps.directory, deps.now);
  }

  /** Brings the index up to HEAD. While an update is under way, no second one begins. Never rejects. */
  update(): Promise<void> {
    this.#running ??= this.#update()
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.deps.failed(error);
      })
      .finally(() => {
        this.#running = null;
      });
    return this.#running;
  }

  close(): void {
    this.#stop.abort();
  }

  async #update(): Promise<void> {
    const { directory } = this.deps;
    const head = this.#isTooLong ? null : await this.#watch.readHead();
    const project = await this.deps.project();
    const known = this.#useIndex((index) => index.readExtents(project).get(directory) ?? null);
    if (head === null || (known !== null && isUpToDate(known, head))) return;
    const whole = await this.#findIndexedCommit(known, head);
    if (whole === null && (await this.#isBeyondLimit())) return;
    const reach = { whole, goal: head.commit, cut: head.cut };
    this.#useIndex((index) => index.begin(project, directory, reach));
    if (whole === null) await this.#removeStale(project);
    const elsewhere = this.#listOtherExtents(this.#useIndex((index) => index.readExtents(project)));
    // A clone whose history is cut at another point may lack commits that this one has.
    const alike = elsewhere.filter(({ cut }) => cut === null || cut === head.cut);
    await this.#add(project, selectHashes([whole, ...alike.map((one) => one.whole)]));
    // HEAD may have moved while its history was being read.
    const now = await this.#watch.readHead();
    if (now?.commit !== head.commit || now.cut !== head.cut) return;
    this.#useIndex((index) => index.finish(project, directory, reach));
  }

  /**
   * Returns the commit up to which the history is indexed and need not be read again; null if there is none. An
   * unfinished update may have added commits that HEAD has left since; they are searched for as after a switch of
   * branches.
   */
  async #findIndexedCommit(known: IndexExtent | null, { cut }: Head): Promise<string | null> {
    if (known === null || known.whole === null || known.cut !== cut) return null;
    for (const commit of selectHashes([known.whole, known.goal])) {
      if (!(await isAncestor(this.deps.directory, commit))) return null;
    }
    return known.whole;
  }

  async #isBeyondLimit(): Promise<boolean> {
    const count = await countCommits(this.deps.directory);
    if (count <= Math.min(this.deps.most, PASSAGES_PER_COLLECTION)) return false;
    this.#isTooLong = true;
    this.deps.tooMany(count);
    return true;
  }

  #listOtherExtents(reaches: IndexExtents): readonly IndexExtent[] {
    const { directory } = this.deps;
    const others = [...reaches].filter(([at]) => at !== directory && existsSync(at));
    return others.map(([, reach]) => reach);
  }

  /**
   * Removes commits that can't be reached any more from HEAD or from the heads of other worktrees, as after a switch
   * of branches or a rewritten history. It removes nothing if a clone is at a commit that isn't here, because what
   * that clone needs is unknown.
   */
  async #removeStale(project: ProjectId): Promise<void> {
    const { directory } = this.deps;
    let isDone = false;
    while (!isDone && !this.#stop.signal.aborted) {
      const reaches = this.#useIndex((index) => index.readExtents(project));
      const indexed = this.#useIndex((index) => index.listHashes(project));
      if (indexed.length === 0) return;
      const elsewhere = this.#listOtherExtents(reaches).flatMap(({ whole, goal }) => [whole, goal]);
      const needed = selectHashes(elsewhere);
      for (const commit of needed) if (!(await hasCommit(directory, commit))) return;
      const standing = await readHashes(directory, needed);
      const gone = indexed.filter((hash) => !standing.has(hash));
      isDone = await this.#remove(project, gone, reaches);
    }
  }

  /** @returns false if other folders need different commits by now */
  async #remove(
    project: ProjectId,
    gone: readonly string[],
    currentReaches: IndexExtents,
  ): Promise<boolean> {
    for (let at = 0; at < gone.length; at += COMMITS_PER_BATCH) {
      const some = gone.slice(at, at + COMMITS_PER_BATCH);
      if (!this.#useIndex((index) => index.remove(project, some, currentReaches))) return false;
      await this.deps.pause();
    }
    return true;
  }

  async #add(project: ProjectId, known: readonly string[]): Promise<void> {
    let batch: Commit[] = [];
    const flush = () => {
      const commits = batch;
      batch = [];
      if (this.#useIndex((index) => index.add(project, commits))) return;
      throw new Error(
        "The commits do not fit into the index, and are indexed again from the start.",
      );
    };
    for await (const commit of readCommits(this.deps.directory, known, this.#stop.signal)) {
      batch.push(commit);
      if (batch.length < COMMITS_PER_BATCH) continue;
      flush();
      await this.deps.pause();
    }
    flush();
  }

  #useIndex<T>(work: (index: CommitIndex) => T): T {
    return this.deps.file.use((store) => work(new CommitIndex(store)));
  }
}

/** Returns true if nothing is missing and no unfinished update left commits that don't belong. */
function isUpToDate({ whole, goal, cut }: IndexExtent, head: Head): boolean {
  return whole === head.commit && goal === null && cut === head.cut;
}

function selectHashes(commits: readonly (string | null)[]): readonly string[] {
  return commits.filter((commit) => commit !== null);
}
