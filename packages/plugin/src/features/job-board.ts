// Where features put work that is to be done beside the turns.
import type { JobStore, NewJob } from "../storage/job-records.ts";
import type { SessionId } from "../storage/records.ts";

export type JobToAdd = Omit<NewJob, "project">;

interface JobBoardDeps {
  /** @throws StorageError while the database isn't open. */
  readonly store: () => JobStore;
  /** The directory of the project. */
  readonly project: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export class JobBoard {
  #added: () => void = () => undefined;
  #proposed: (sessionId: SessionId) => void = () => undefined;

  constructor(private readonly deps: JobBoardDeps) {}

  /** Returns at once; null: the same work was added before. @throws StorageError */
  add(job: JobToAdd): number | null {
    const { store, project, now } = this.deps;
    const id = store().add({ ...job, project }, now());
    if (id !== null) this.#added();
    return id;
  }

  /** Work that is done already: its proposal waits for the session's next boundary. @throws StorageError */
  propose(job: JobToAdd & { readonly sessionId: SessionId }, proposal: unknown): void {
    const { store, project, now } = this.deps;
    store().addSettled({ ...job, project }, proposal, now());
    this.#proposed(job.sessionId);
  }

  /** Work was added past this board, by a store of its feature's. */
  wake(): void {
    this.#added();
  }

  /** Whoever decides at the boundaries hears of each proposal. */
  watchProposals(proposed: (sessionId: SessionId) => void): void {
    this.#proposed = proposed;
  }

  /** Whoever runs the jobs hears of each. */
  watch(added: () => void): void {
    this.#added = added;
  }
}
