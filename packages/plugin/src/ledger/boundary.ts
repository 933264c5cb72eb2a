// Names why a decision may be taken now, and whether the cache is cold.

/** The reasons for which an epoch begins. */
export const epochCauses = ["first", "compacted", "moved", "replaced", "model", "folded"] as const;
export type EpochCause = (typeof epochCauses)[number];

/**
 * The reason why a decision may be taken now. `ordinary` and `reverted` leave the provider's cache of what was
 * sent alive; each of the others finds it dead, or gives it up knowingly.
 */
export type Boundary =
  | { readonly kind: "ordinary" }
  | { readonly kind: "reverted" }
  | { readonly kind: EpochCause }
  | { readonly kind: "idle"; readonly idleMs: number }
  /** Another model goes on, whose cache holds nothing of the session; the former model's cache does. */
  | { readonly kind: "switched" }
  | { readonly kind: "pressure" }
  | { readonly kind: "worth" }
  | { readonly kind: "command" };

/** Returns true if bytes before the watermark may change at this boundary. */
export function isCold({ kind }: Boundary): boolean {
  return kind !== "ordinary" && kind !== "reverted";
}
