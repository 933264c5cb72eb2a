// Defines the one signature of all policies.

import type { BoundaryView } from "./boundary-view.ts";
import type { Draft } from "./draft.ts";

export interface Policy {
  /** Stored as the origin of the policy's entries. */
  readonly name: string;
  /** `session`: entries that stand are carried into a new epoch. `epoch`: the policy drafts again there. */
  readonly scope: "epoch" | "session";
  /** Must be pure: the same view gives the same drafts. */
  readonly draft: (view: BoundaryView) => readonly Draft[];
  /** Returns true if its drafts are worth a warm cache. Without this function they never are. */
  readonly pays?: (view: BoundaryView) => boolean;
}

/** Lists the names of policies whose edits outlive an epoch. */
export function sessionScoped(policies: readonly Policy[]): ReadonlySet<string> {
  return new Set(policies.flatMap(({ name, scope }) => (scope === "session" ? [name] : [])));
}
