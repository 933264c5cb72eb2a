// Why a decision may be taken now, and whether the cache is cold.

/** Why an epoch began. */
export const epochCauses = ["first", "compacted", "moved", "replaced", "model", "folded"] as const;
export type EpochCause = (typeof epochCauses)[number];

/**
 * Why a decision may be taken now. `ordinary` and `reverted` leave the provider's cache of what was
 * sent alive; each of the others finds it dead, or gives it up knowingly.
 */
export type Boundary =
  | { readonly kind: "ordinary" }
  | { readonly kind: "reverted" }
  | { readonly kind: EpochCause }
  | { readonly kind: "idle"; readonly idleMs: number }
  /** Another model goes on, which has nothing of the session in its cache; the former one has. */
  | { readonly kind: "switched" }
  | { readonly kind: "pressure" }
  | { readonly kind: "worth" }
  | { readonly kind: "command" };

/** Whether bytes before the watermark may change at this boundary. */
export function isCold({ kind }: Boundary): boolean {
  return kind !== "ordinary" && kind !== "reverted";
}
