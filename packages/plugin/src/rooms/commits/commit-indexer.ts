// Keeps the index of commits up to HEAD, in small steps beside the host's own work.
import type { IndexFile } from "../../index/file.ts";
import { PASSAGES_PER_SHELF } from "../../index/shelf.ts";
import type { ProjectId } from "../../storage/records.ts";
import { CommitIndex } from "./commit-index.ts";
import { type Commit, commitsOf, countOf, hashesOf, headOf, isAncestor } from "./git-log.ts";

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
    const known = this.#use((index) => index.head(project));
    if (head === null || head === known) return;
    if (known !== null && (await isAncestor(directory, known))) {
      await this.#add(project, known);
    } else {
      const count = await countOf(directory);
      if (count > Math.min(this.deps.most, PASSAGES_PER_SHELF)) {
        this.#isTooLong = true;
        this.deps.tooMany(count);
        return;
      }
      this.#use((index) => index.setHead(project, null));
      await this.#removeOthers(project);
      await this.#add(project, null);
    }
    this.#use((index) => index.setHead(project, head));
  }

  /** Commits that are on no way to HEAD any more: another branch, or history that was rewritten. */
  async #removeOthers(project: ProjectId): Promise<void> {
    const indexed = this.#use((index) => index.hashes(project));
    if (indexed.length === 0) return;
    const standing = await hashesOf(this.deps.directory);
    const gone = indexed.filter((hash) => !standing.has(hash));
    for (let at = 0; at < gone.length; at += BATCH) {
      this.#use((index) => index.remove(project, gone.slice(at, at + BATCH)));
      await this.deps.pause();
    }
  }

  async #add(project: ProjectId, since: string | null): Promise<void> {
    let batch: Commit[] = [];
    const flush = () => {
      const commits = batch;
      batch = [];
      if (this.#use((index) => index.add(project, commits))) return;
      throw new Error(
        "The commits have no room in the index, and are indexed again from the start.",
      );
    };
    for await (const commit of commitsOf(this.deps.directory, since, this.#stop.signal)) {
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
