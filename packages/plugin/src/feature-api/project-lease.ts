// Work on a project that one machine at a time does, where several share it.
/** `elsewhere`: another machine has it. `away`: the server could not be asked. */
export type LeaseHold = "held" | "elsewhere" | "away";

/** The time when any machine last did each work, in milliseconds since 1970 by this machine's clock. */
type LastRuns = ReadonlyMap<string, number>;

export interface ProjectLease {
  /** Takes or renews it, and brings this machine's copy in step with what others have written. */
  hold(project: string, holder: string): Promise<LeaseHold>;
  /** Gives it back after what was written is on the server; `done`: the work that was done under it. */
  release(project: string, holder: string, done: string | null): Promise<void>;
  /** Resolves to the work that others have done; `elsewhere` while one of them runs. */
  done(project: string): Promise<LastRuns | "elsewhere" | "away">;
}

/** The lease of a project that is this machine's alone. */
export const unshared: ProjectLease = {
  hold: async () => "held",
  release: async () => undefined,
  done: async () => new Map(),
};

/** @param work the name of the work that one machine at a time does */
export type LeaseForProject = (work: string) => ProjectLease;
