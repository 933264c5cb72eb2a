// Describes what a boundary has put on record, for features that account for it.
import type { Boundary } from "./boundary.ts";
import type { Entry } from "./entry.ts";
import type { HostMessage } from "./message.ts";
import type { Watermark } from "./position.ts";
import type { CallSpace } from "./space.ts";

/** The values that a boundary decided by. */
export interface BoundaryInputs {
  /** The host's messages, with results that its prune has blanked as they were sent. */
  readonly messages: readonly HostMessage[];
  readonly boundary: Boundary;
  readonly space: CallSpace;
  /** The newest message that an earlier call of the epoch had sent; null if none had. */
  readonly watermark: Watermark | null;
  /** The entries that replay showed before it. */
  readonly former: readonly Entry[];
}

/** A boundary's decision whose entries are stored and about to be sent for the first time. */
export interface BoundaryDecision extends BoundaryInputs {
  readonly epochSeq: number;
  /** The moment of the call, in milliseconds since 1970. */
  readonly atMs: number;
  /** The entries that this boundary added; none of them was carried over from the epoch before. */
  readonly entries: readonly Entry[];
  /** The entries that replay shows from now on. */
  readonly standing: readonly Entry[];
}
