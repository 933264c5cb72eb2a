// What policies look at: one call's values, built once.
import type { Snapshot, SnapshotDelta } from "../context/snapshot.ts";
import type { KeyedText } from "../context/source.ts";
import type { Boundary } from "./boundary.ts";
import type { Draft } from "./draft.ts";
import type { Entry } from "./entry.ts";
import type { HostMessage } from "./message.ts";
import type { Watermark } from "./position.ts";
import type { CallSpace } from "./space.ts";

/** What changed in the world, to be said at this boundary. */
export interface Announcement {
  /** The exact text that is sent. */
  readonly text: string;
  readonly announced: readonly KeyedText[];
  readonly delta: SnapshotDelta;
}

/** News that an undo has taken back. */
export interface UndoneNews {
  /** What the entries that stand amount to. */
  readonly standing: Snapshot;
  /** What all entries of the epoch amount to, in their order. */
  readonly recorded: Snapshot;
  /** The text by which each key that stands was announced. */
  readonly texts: ReadonlyMap<string, string>;
}

/** What a tool, a command or a job proposes; it waits until a boundary takes it, or finds it stale. */
export interface Proposal {
  readonly id: number;
  /** Who reads `output`. */
  readonly kind: string;
  /** `command`: the user asked for it, and gives the provider's cache up for it. */
  readonly urgency: "command" | "waits";
  readonly output: unknown;
}

export interface BoundaryView {
  /** The host's: results that its prune has blanked have its mark. */
  readonly messages: readonly HostMessage[];
  /** As they are sent if this boundary decides nothing; at an opening, with what is carried over. */
  readonly projected: readonly HostMessage[];
  /** Null where nothing that stands was sent in this epoch. */
  readonly watermark: Watermark | null;
  readonly boundary: Boundary;
  /** Of the epoch that this boundary is in, those that replay shows; at an opening, what is carried over. */
  readonly standing: readonly Entry[];
  /** At an opening, those that stood in the epoch that ends. */
  readonly former: readonly Entry[];
  /** Ids of parts that have to stay as they are: what they show was announced nowhere else. */
  readonly claims: ReadonlySet<string>;
  readonly undo: UndoneNews | null;
  readonly news: Announcement | null;
  /** What the host itself shows in these messages and is not on record yet. */
  readonly shown: readonly Draft[];
  /** By part id, what failed calls say in place of a text that is over the limit. */
  readonly boundedTexts: ReadonlyMap<string, string>;
  /** Whether the host blanks old tool results between turns. */
  readonly hostPrune: "on" | "off";
  readonly space: CallSpace;
  /** Of our own tools, by name, those that this call is not offered; null: nobody knows. */
  readonly withheld: ReadonlySet<string> | null;
  /** In the order in which they were made. */
  readonly proposals: readonly Proposal[];
}

/** What a session's next call would be decided on, if it were made now. */
export type NextCall = Pick<
  BoundaryView,
  "messages" | "projected" | "standing" | "watermark" | "claims" | "space" | "proposals"
>;
