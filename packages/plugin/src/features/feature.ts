// What a feature brings.
// Folder: Features as rooms: what each brings, and the one list of them.
import type { Policy } from "../policies/policy.ts";
import type { Propose } from "../policies/take-proposals.ts";

export interface Feature {
  readonly name: string;
  /** What it drafts; its drafts come after what the host pushed, and before the news. */
  readonly policies: readonly Policy[];
  /** By kind of job, how a settled one's output is held against the present. */
  readonly proposals: ReadonlyMap<string, Propose>;
}
