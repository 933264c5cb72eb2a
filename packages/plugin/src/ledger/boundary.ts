// Names why a decision may be taken now, and finds the watermark.
import type { HostMessage } from "./message.ts";

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
  /** Another model continues: its cache holds nothing of the session, but the former model's cache does. */
  | { readonly kind: "switched" }
  | { readonly kind: "pressure" }
  | { readonly kind: "worth" }
  | { readonly kind: "command" };

/** Returns true if bytes before the watermark may change at this boundary. */
export function isCold({ kind }: Boundary): boolean {
  return kind !== "ordinary" && kind !== "reverted";
}

// Finds the watermark: the newest message that stands and was sent.

/** The newest position of the history that a provider has been sent. */
export interface Watermark {
  readonly index: number;
  readonly messageId: string;
}

/**
 * Finds the watermark; null if nothing that was sent still stands. Ids are not in order, but the array is.
 */
export function findWatermark(
  messages: readonly HostMessage[],
  sentMessageIds: ReadonlySet<string>,
): Watermark | null {
  const index = messages.findLastIndex(({ info }) => sentMessageIds.has(info.id));
  const message = messages[index];
  return message === undefined ? null : { index, messageId: message.info.id };
}
