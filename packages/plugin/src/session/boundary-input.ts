// Defines what one boundary decides on, and its decision.
import type { ObservedContext } from "../context/observe.ts";
import type { Boundary } from "../ledger/boundary.ts";
import type { BoundaryView } from "../ledger/boundary-view.ts";
import type { Draft, NamedDraft } from "../ledger/draft.ts";
import type { HostMessage } from "../ledger/message.ts";
import type { Policy } from "../ledger/policy.ts";
import type { EpochCause } from "../storage/records.ts";
import type { SessionView } from "./view.ts";

/** The part of a call's view that exists before its boundary decides anything. */
export type CallView = Pick<
  BoundaryView,
  | "messages"
  | "projected"
  | "watermark"
  | "boundedTexts"
  | "hostPrune"
  | "space"
  | "withheld"
  | "proposals"
>;

export interface BoundaryInput extends CallView {
  readonly view: SessionView;
  readonly observed: ObservedContext;
  readonly policies: readonly Policy[];
  /** Drafts for what the host itself showed the model since the last call. */
  readonly witnessed: readonly Draft[];
  /** Returns drafts for all that these messages show, since in a new epoch none of it is on record. */
  readonly shownIn: (messages: readonly HostMessage[]) => readonly Draft[];
  /** The length of the session's pause where it outlasted the provider's cache; null otherwise. */
  readonly coldPauseMs: number | null;
  /** `cold`: another model made the newest call, and the cache of this call's model is dead. */
  readonly modelCache: "cold" | "usual";
  /** A cause for a new epoch that the history does not show: a model switch, when so configured. */
  readonly asked: EpochCause | null;
  /** The session's own edits in an epoch that was sent and could not be stored; usually none. */
  readonly prepared: readonly NamedDraft[];
}

interface DraftDecision {
  /** Drafts to be stored and sent, in the order of the ledger. */
  readonly drafts: readonly NamedDraft[];
  /** Drafts refused at this boundary: policies draft them again, and proposals wait. */
  readonly deferred: readonly NamedDraft[];
  /** Proposals that are settled: taken by these drafts, or stale. */
  readonly settled: readonly number[];
  /** The observation as it was passed in, with sources whose rendering failed marked unavailable. */
  readonly observed: ObservedContext;
}

export type Decision =
  | (DraftDecision & { readonly kind: "steady"; readonly boundary: Boundary })
  /** `boundary` is the one at which a fold was decided, else the epoch's cause. */
  | (DraftDecision & {
      readonly kind: "opening";
      readonly cause: EpochCause;
      readonly boundary: Boundary;
    });
