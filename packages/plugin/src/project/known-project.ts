// The project that one plugin instance is at work in, found out once for all rooms.
import { enterProject } from "./find-project.ts";
import {
  type HostProject,
  isOwnName,
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
   * @param store throws StorageError while the database isn't open
   * @param enter makes the store know it; rejects where it can't be found out now
   */
  constructor(
    private readonly store: () => ProjectStore,
    private readonly enter: (store: ProjectStore) => Promise<Project>,
  ) {}

  /** For whoever can't wait; null: it isn't found out yet, or may be another one now. */
  get known(): ProjectId | null {
    return this.#project?.id ?? null;
  }

  /** Found out once; asked for again where that failed. */
  async get(): Promise<Project> {
    const known = this.#entering;
    const project = await this.#entered();
    // It was joined with another, or forgotten, elsewhere.
    if (known === null || this.store().readWorktree(project.id) !== null) return project;
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
    if (known === null || parseFirstCommit(project.id) !== null) return project;
    // Whoever can't wait goes on with what is known, as long as it is the same.
    if ((await this.enter(this.store())).id === project.id) return project;
    this.leave();
    return this.get();
  }

  /** It may be another one now. */
  leave(): void {
    this.#entering = null;
    this.#project = null;
    for (const left of this.#whenLeft) left();
  }

  /** To be called with it whenever it is found out, and now if it is. */
  whenFound(found: (project: Project) => void): void {
    if (this.#project) found(this.#project);
    this.#whenFound.push(found);
  }

  /** To be called whenever it may be another one: what was read of it is not given any more. */
  whenLeft(left: () => void): void {
    this.#whenLeft.push(left);
  }

  #entered(): Promise<Project> {
    this.#entering ??= this.#found();
    return this.#entering;
  }

  #found(): Promise<Project> {
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
  /** What was stored by this name is taken over, if no other project has it too. */
  readonly hostName: HostProject;
}

/** Of an instance that is at work in a folder. @param now milliseconds since 1970 */
export function projectAtWork(
  { directory, hostName }: ProjectFolder,
  store: () => ProjectStore,
  now: () => number,
): KnownProject {
  return new KnownProject(store, async (places) => {
    const project = await enterProject(places, directory, now());
    if (isOwnName(hostName, project.id, directory)) places.takeOver(hostName, project.id);
    return project;
  });
}
