// Takes the work that features want done beside the turns.
import type { JobPlace, NewJob } from "../storage/job-records.ts";
import type { JobStore } from "../storage/job-store.ts";
import type { ProjectId } from "../storage/records.ts";

export type JobToAdd = Omit<NewJob, keyof JobPlace>;

interface JobQueueDeps {
  /** @throws StorageError while the database isn't open. */
  readonly store: () => JobStore;
  readonly worker: string;
  /** Returns null while the project isn't known yet. */
  readonly project: () => ProjectId | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called for each added job, to wake the runner. */
  readonly added: () => void;
}

export class JobQueue {
  constructor(private readonly deps: JobQueueDeps) {}

  /** The place of its jobs. Whoever runs them finds out the project where that isn't known. */
  get place(): JobPlace {
    return { board: this.deps.worker, project: this.deps.project() };
  }

  /** Returns at once; null: the same work was added before. @throws StorageError */
  add(job: JobToAdd): number | null {
    const { store, now } = this.deps;
    const id = store().add({ ...job, ...this.place }, now());
    if (id !== null) this.deps.added();
    return id;
  }

  /** Announces work that a feature's own store has added without this queue. */
  wake(): void {
    this.deps.added();
  }
}
