// Why a decision may be taken now, and whether the cache is cold.

/**
 * Why a decision may be taken now. `ordinary` and `reverted` leave the provider's cache of what was
 * sent alive; each of the others finds it dead, or gives it up knowingly.
 */
export type Boundary =
  | { readonly kind: "ordinary" }
  | { readonly kind: "reverted" }
  | { readonly kind: "first" }
  | { readonly kind: "compacted" }
  | { readonly kind: "moved" }
  | { readonly kind: "replaced" }
  | { readonly kind: "model" }
  | { readonly kind: "folded" }
  | { readonly kind: "idle"; readonly idleMs: number }
  | { readonly kind: "pressure" }
  | { readonly kind: "worth" }
  | { readonly kind: "command" };

/** Whether bytes before the watermark may change at this boundary. */
export function isCold(boundary: Boundary): boolean {
  switch (boundary.kind) {
    case "ordinary":
    case "reverted":
      return false;
    case "first":
    case "compacted":
    case "moved":
    case "replaced":
    case "model":
    case "folded":
    case "idle":
    case "pressure":
    case "worth":
    case "command":
      return true;
  }
}
