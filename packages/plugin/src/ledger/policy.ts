// The one signature that all policies have.

import type { BoundaryView } from "./boundary-view.ts";
import type { Draft } from "./draft.ts";

export interface Policy {
  /** Stored as the origin of its entries. */
  readonly name: string;
  /** `session`: entries that stand are carried into a new epoch. `epoch`: the policy drafts again there. */
  readonly scope: "epoch" | "session";
  /** Pure: the same view gives the same drafts. */
  readonly draft: (view: BoundaryView) => readonly Draft[];
  /** Whether what it would draft is worth a warm cache. Without it nothing ever is. */
  readonly pays?: (view: BoundaryView) => boolean;
}

/** Names of the policies whose edits outlive an epoch. */
export function sessionScoped(policies: readonly Policy[]): ReadonlySet<string> {
  return new Set(policies.flatMap(({ name, scope }) => (scope === "session" ? [name] : [])));
}
