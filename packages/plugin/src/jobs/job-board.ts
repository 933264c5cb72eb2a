// Where features put work that is to be done beside the turns.
import type { JobStore, NewJob } from "../storage/job-records.ts";

export type JobToAdd = Omit<NewJob, "project">;

export interface JobBoardDeps {
  /** @throws StorageError while the database isn't open. */
  readonly store: () => JobStore;
  /** The directory of the project. */
  readonly project: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export class JobBoard {
  #added: () => void = () => undefined;

  constructor(private readonly deps: JobBoardDeps) {}

  /** Returns at once; null: the same work was added before. @throws StorageError */
  add(job: JobToAdd): number | null {
    const { store, project, now } = this.deps;
    const id = store().add({ ...job, project }, now());
    if (id !== null) this.#added();
    return id;
  }

  /** Whoever runs the jobs hears of each. */
  watch(added: () => void): void {
    this.#added = added;
  }
}
