// What a boundary has put on record, for rooms that account for it.
import type { Boundary } from "./boundary.ts";
import type { Entry } from "./entry.ts";
import type { HostMessage } from "./message.ts";
import type { Watermark } from "./position.ts";
import type { CallSpace } from "./space.ts";

/** What a boundary looked at. */
export interface BoundaryInputs {
  /** The host's, results that its prune has blanked as they were sent. */
  readonly messages: readonly HostMessage[];
  readonly boundary: Boundary;
  readonly space: CallSpace;
  /** The newest message that an earlier call of the epoch had sent; null: none had. */
  readonly watermark: Watermark | null;
  /** What replay showed before it. */
  readonly former: readonly Entry[];
}

/** Entries that are stored, and are about to be sent for the first time. */
export interface BoundaryDecision extends BoundaryInputs {
  readonly epochSeq: number;
  /** When, in milliseconds since 1970: the moment of their call. */
  readonly atMs: number;
  /** What this boundary added; none of them was carried over from the epoch before. */
  readonly entries: readonly Entry[];
  /** What replay shows from now on. */
  readonly standing: readonly Entry[];
}
