// Where features put work that is to be done beside the turns.
import type { NewJob } from "../storage/job-records.ts";
import type { JobStore } from "../storage/job-store.ts";
import type { SessionId } from "../storage/records.ts";

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
  /** Whoever decides at the boundaries hears of each proposal. */
  readonly proposed: (sessionId: SessionId) => void;
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

  /** Work that is done already: its proposal waits for the session's next boundary. @throws StorageError */
  propose(job: JobToAdd & { readonly sessionId: SessionId }, proposal: unknown): void {
    const { store, project, now } = this.deps;
    store().addSettled({ ...job, project }, proposal, now());
    this.deps.proposed(job.sessionId);
  }

  /** Work was added past this board, by a store of its feature's. */
  wake(): void {
    this.deps.added();
  }
}
