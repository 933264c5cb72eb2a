// Finds the project that one plugin instance works in, once for all features.
import { enterProject } from "./find-project.ts";
import {
  type HostProjectName,
  isOwnHostName,
  type Project,
  type ProjectId,
  parseFirstCommit,
} from "./project.ts";
import type { ProjectStore } from "./store.ts";

export class KnownProject {
  #entering: Promise<Project> | null = null;
  #project: Project | null = null;
  readonly #whenFound: ((project: Project) => void)[] = [];
  readonly #whenLeft: (() => void)[] = [];

  /**
   * Takes the store and a function that enters a project.
   * @param store throws StorageError while the database isn't open
   * @param enter records the project in the store; rejects if the project can't be found now
   */
  constructor(
    private readonly store: () => ProjectStore,
    private readonly enter: (store: ProjectStore) => Promise<Project>,
  ) {}

  /** Returns the project for callers that can't wait; null while it is unknown, or may have changed. */
  get known(): ProjectId | null {
    return this.#project?.id ?? null;
  }

  /** Finds the project once, and tries again after a failure. */
  async get(): Promise<Project> {
    const known = this.#entering;
    const project = await this.#enterOnce();
    // Without a worktree, the known project was joined with another one, or forgotten, by another process.
    if (known === null || this.store().readWorktree(project.id) !== null) return project;
    this.leave();
    return this.#enterOnce();
  }

  async id(): Promise<ProjectId> {
    return (await this.get()).id;
  }

  /**
   * Finds the project, and asks git again about a folder without a first commit, which may have a commit by
   * now.
   */
  async looked(): Promise<Project> {
    const known = this.#entering;
    const project = await this.get();
    if (known === null || parseFirstCommit(project.id) !== null) return project;
    // Callers that can't wait keep the known project while it is the same.
    if ((await this.enter(this.store())).id === project.id) return project;
    this.leave();
    return this.get();
  }

  /** Records that the project may have changed. */
  leave(): void {
    this.#entering = null;
    this.#project = null;
    for (const left of this.#whenLeft) left();
  }

  /** Calls `found` whenever the project is found, and now if it is known. */
  whenFound(found: (project: Project) => void): void {
    if (this.#project) found(this.#project);
    this.#whenFound.push(found);
  }

  /**
   * Calls `left` whenever the project may have changed, so that facts read for the old one are no longer used.
   */
  whenLeft(left: () => void): void {
    this.#whenLeft.push(left);
  }

  #enterOnce(): Promise<Project> {
    this.#entering ??= this.#findOnce();
    return this.#entering;
  }

  #findOnce(): Promise<Project> {
    const entering = this.#enter().then(
      (project) => {
        if (this.#entering === entering) this.#project = project;
        return project;
      },
      (error: unknown) => {
        if (this.#entering === entering) this.#entering = null;
        throw error;
      },
    );
    return entering;
  }

  async #enter(): Promise<Project> {
    const project = await this.enter(this.store());
    for (const found of this.#whenFound) found(project);
    return project;
  }
}

interface ProjectFolder {
  readonly directory: string;
  /**
   * The host's name of the project, whose stored data is taken over if no other project has that name too.
   */
  readonly hostName: HostProjectName;
}

/**
 * Finds the project of an instance that works in a folder.
 * @param now returns milliseconds since 1970
 */
export function createKnownProject(
  { directory, hostName }: ProjectFolder,
  store: () => ProjectStore,
  now: () => number,
): KnownProject {
  return new KnownProject(store, async (places) => {
    const project = await enterProject(places, directory, now());
    if (isOwnHostName(hostName, project.id, directory)) places.takeOver(hostName, project.id);
    return project;
  });
}
