// Keeps the index of commits up to each folder's HEAD, in small steps beside the host's own work.
import { existsSync } from "node:fs";
import type { IndexFile } from "../../index/file.ts";
import { PASSAGES_PER_SHELF } from "../../index/shelf.ts";
import type { ProjectId } from "../../storage/records.ts";
import { CommitIndex } from "./commit-index.ts";
import {
  type Commit,
  commitsOf,
  countOf,
  hasCommit,
  hashesOf,
  headOf,
  isAncestor,
} from "./git-log.ts";

interface CommitIndexerDeps {
  readonly file: IndexFile;
  readonly directory: string;
  readonly project: () => Promise<ProjectId>;
  /** A history of more commits is not indexed. */
  readonly most: number;
  readonly tooMany: (commits: number) => void;
  readonly failed: (error: unknown) => void;
  readonly pause: () => Promise<void>;
}

/** Written at once: a few milliseconds of the host's own thread. */
const BATCH = 100;

export class CommitIndexer {
  readonly #stop = new AbortController();
  #running: Promise<void> | null = null;
  #isTooLong = false;

  constructor(private readonly deps: CommitIndexerDeps) {}

  /** Brings the index up to HEAD; while that is under way, nothing more is begun. Never rejects. */
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
    const head = this.#isTooLong ? null : await headOf(directory);
    const project = await this.deps.project();
    const heads = this.#use((index) => index.heads(project));
    const known = heads.get(directory) ?? null;
    if (head === null || head === known) return;
    const others = [...heads].filter(([at]) => at !== directory && existsSync(at));
    const elsewhere = others.map(([, commit]) => commit);
    if (known !== null && (await isAncestor(directory, known))) {
      await this.#add(project, [known, ...elsewhere]);
    } else {
      const count = await countOf(directory);
      if (count > Math.min(this.deps.most, PASSAGES_PER_SHELF)) {
        this.#isTooLong = true;
        this.deps.tooMany(count);
        return;
      }
      this.#use((index) => index.setHead(project, directory, null));
      await this.#removeStale(project, elsewhere);
      await this.#add(project, elsewhere);
    }
    this.#use((index) => index.setHead(project, directory, head));
  }

  /**
   * Commits that are on no way to HEAD any more, nor to the heads of other worktrees: of another branch, or of
   * history that was rewritten. Where a clone is at a commit that isn't here, nobody knows what it needs.
   */
  async #removeStale(project: ProjectId, elsewhere: readonly string[]): Promise<void> {
    const { directory } = this.deps;
    const indexed = this.#use((index) => index.hashes(project));
    if (indexed.length === 0) return;
    for (const commit of elsewhere) if (!(await hasCommit(directory, commit))) return;
    const standing = await hashesOf(directory, elsewhere);
    const gone = indexed.filter((hash) => !standing.has(hash));
    for (let at = 0; at < gone.length; at += BATCH) {
      this.#use((index) => index.remove(project, gone.slice(at, at + BATCH)));
      await this.deps.pause();
    }
  }

  async #add(project: ProjectId, known: readonly string[]): Promise<void> {
    let batch: Commit[] = [];
    const flush = () => {
      const commits = batch;
      batch = [];
      if (this.#use((index) => index.add(project, commits))) return;
      throw new Error(
        "The commits have no room in the index, and are indexed again from the start.",
      );
    };
    for await (const commit of commitsOf(this.deps.directory, known, this.#stop.signal)) {
      batch.push(commit);
      if (batch.length < BATCH) continue;
      flush();
      await this.deps.pause();
    }
    flush();
  }

  #use<T>(work: (index: CommitIndex) => T): T {
    return this.deps.file.use((store) => work(new CommitIndex(store)));
  }
}
