// The project that one plugin instance is at work in, found out once.
import { firstCommitOf } from "./ids.ts";
import type { Project, ProjectId } from "./record.ts";
import type { MemoryStore } from "./sqlite-store.ts";

export class KnownProject {
  #entering: Promise<Project> | null = null;
  readonly #whenLeft: (() => void)[] = [];

  /**
   * @param store throws StorageError while the database isn't open
   * @param enter makes the store know it; rejects where it can't be found out now
   */
  constructor(
    readonly store: () => MemoryStore,
    private readonly enter: (store: MemoryStore) => Promise<Project>,
  ) {}

  /** Found out once; asked for again where that failed. */
  async get(): Promise<Project> {
    const known = this.#entering;
    const project = await this.#entered();
    // It was joined with another, or forgotten, elsewhere.
    if (known === null || this.store().worktreeOf(project.id) !== null) return project;
    this.leave();
    return this.#entered();
  }

  async id(): Promise<ProjectId> {
    return (await this.get()).id;
  }

  /** The same; git is asked again about a folder without a first commit, which may have one by now. */
  async looked(): Promise<Project> {
    const known = this.#entering;
    const project = await this.get();
    if (known === null || firstCommitOf(project.id) !== null) return project;
    this.leave();
    return this.get();
  }

  /** It may be another one now. */
  leave(): void {
    this.#entering = null;
    for (const left of this.#whenLeft) left();
  }

  /** To be called whenever it may be another one: what was read of it is not given any more. */
  whenLeft(left: () => void): void {
    this.#whenLeft.push(left);
  }

  #entered(): Promise<Project> {
    this.#entering ??= this.#found().catch((error: unknown) => {
      this.#entering = null;
      throw error;
    });
    return this.#entering;
  }

  async #found(): Promise<Project> {
    return await this.enter(this.store());
  }
}
