// Where features put work that is to be done beside the turns.
import type { NewJob } from "../storage/job-records.ts";
import type { JobStore } from "../storage/job-store.ts";

export type JobToAdd = Omit<NewJob, "project">;

interface JobBoardDeps {
  /** @throws StorageError while the database isn't open. */
  readonly store: () => JobStore;
  /** The directory of the project. */
  readonly project: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Whoever runs the jobs hears of each. */
  readonly added: () => void;
}

export class JobBoard {
  constructor(private readonly deps: JobBoardDeps) {}

  /** As its jobs name it. */
  get project(): string {
    return this.deps.project;
  }

  /** Returns at once; null: the same work was added before. @throws StorageError */
  add(job: JobToAdd): number | null {
    const { store, project, now } = this.deps;
    const id = store().add({ ...job, project }, now());
    if (id !== null) this.deps.added();
    return id;
  }

  /** Work was added past this board, by a store of its feature's. */
  wake(): void {
    this.deps.added();
  }
}
