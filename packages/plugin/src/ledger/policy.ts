// Defines a policy: the values that it reads at a boundary, its signature, and its proposals.
import type { Snapshot, SnapshotDelta } from "../context/snapshot.ts";
import type { KeyedText } from "../context/source.ts";
import type { Boundary, Watermark } from "./boundary.ts";
import type { Draft, Entry } from "./entry.ts";
import type { HostMessage } from "./message.ts";
import type { CallSpace } from "./space.ts";

// The values that policies read at one boundary, built once per call.

/** A change in the sources that this boundary announces. */
export interface Announcement {
  /** The exact text that is sent. */
  readonly text: string;
  readonly announced: readonly KeyedText[];
  readonly delta: SnapshotDelta;
}

/** Announcements whose message an undo has withdrawn. */
export interface UndoAnnouncement {
  /** The snapshot that results from the entries that stand. */
  readonly standing: Snapshot;
  /** The snapshot that all entries of the epoch add up to, in their order. */
  readonly recorded: Snapshot;
  /** Maps each key that stands to the text that announced it. */
  readonly texts: ReadonlyMap<string, string>;
}

/** A proposal of a tool, a command or a job. It waits until a boundary takes it or finds it stale. */
export interface Proposal {
  readonly id: number;
  /** Names the kind of proposal, which decides what reads `output`. */
  readonly kind: string;
  /** `command` means that the user has requested it and gives up the provider's cache for it. */
  readonly urgency: "command" | "waits";
  readonly output: unknown;
}

export interface BoundaryView {
  /** The host's messages. Results that the host's prune has blanked carry its mark. */
  readonly messages: readonly HostMessage[];
  /** The messages as they are sent if this boundary decides nothing; at an opening, with what is carried over. */
  readonly projected: readonly HostMessage[];
  /** The newest message sent in this epoch that still stands; null if there is none. */
  readonly watermark: Watermark | null;
  readonly boundary: Boundary;
  /** The entries of this epoch that replay shows; at an opening, those that are carried over. */
  readonly standing: readonly Entry[];
  /** At an opening, the entries that stood in the epoch that ends. */
  readonly former: readonly Entry[];
  /** Ids of parts that have to stay as they are, because nothing else announced what they show. */
  readonly claims: ReadonlySet<string>;
  readonly undo: UndoAnnouncement | null;
  readonly news: Announcement | null;
  /** Drafts for what the host itself shows in these messages and is not on record yet. */
  readonly shown: readonly Draft[];
  /** Maps part ids to the texts that replace those of failed calls over the limit. */
  readonly boundedTexts: ReadonlyMap<string, string>;
  /** `on` if the host blanks old tool results between turns. */
  readonly hostPrune: "on" | "off";
  readonly space: CallSpace;
  /** Names our own tools that this call is not offered; null if that is unknown. */
  readonly withheld: ReadonlySet<string> | null;
  /** Proposals in the order in which they were made. */
  readonly proposals: readonly Proposal[];
}

/** The values by which a session's next call would be decided if it were made now. */
export type NextCall = Pick<
  BoundaryView,
  "messages" | "projected" | "standing" | "watermark" | "claims" | "space" | "proposals"
>;

export interface Policy {
  /** The policy's name, which is stored as the origin of its entries. */
  readonly name: string;
  /** `session`: entries that stand are carried into a new epoch. `epoch`: the policy drafts again there. */
  readonly scope: "epoch" | "session";
  /** Drafts entries. Must be pure: the same view gives the same drafts. */
  readonly draft: (view: BoundaryView) => readonly Draft[];
  /**
   * Returns true if the policy's drafts are worth giving up a warm cache. Without this function, they never
   * are.
   */
  readonly pays?: (view: BoundaryView) => boolean;
}

/** Lists the names of policies whose edits outlive an epoch. */
export function listSessionScoped(policies: readonly Policy[]): ReadonlySet<string> {
  return new Set(policies.flatMap(({ name, scope }) => (scope === "session" ? [name] : [])));
}

// Lets a feature recognise what the host's own history has shown the model.

export interface SightingInput {
  /** Messages, as they are sent, that may show something that is not on record. */
  readonly messages: readonly HostMessage[];
  /** The snapshot that the model received before these messages. */
  readonly snapshot: Snapshot;
  /** Entries of this epoch that are on record already. */
  readonly standing: readonly Entry[];
}

/** Returns drafts without an edit, each tied to the part that shows what it announces. Pure. */
export type FindSightings = (sighting: SightingInput) => readonly Draft[];
