// The project that one plugin instance is at work in, found out once.
import type { Project, ProjectId } from "./record.ts";
import type { MemoryStore } from "./sqlite-store.ts";

export class KnownProject {
  #entering: Promise<Project> | null = null;

  /**
   * @param store throws StorageError while the database isn't open
   * @param enter makes the store know it; rejects where it can't be found out now
   */
  constructor(
    private readonly store: () => MemoryStore,
    private readonly enter: (store: MemoryStore) => Promise<Project>,
    /** It may be another one now. */
    private readonly left: (() => void) | null,
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

  leave(): void {
    this.#entering = null;
    this.left?.();
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
