// What the two hooks of one model call share.
import type { Observed } from "../context/observe.ts";
import type { Snapshot } from "../context/snapshot.ts";
import type { DecidedOn } from "../policies/decided.ts";
import type { NamedDraft } from "../policies/draft.ts";
import type { Boundary } from "../projection/boundary.ts";
import type { HostMessage } from "../projection/message.ts";
import type { EpochCause, EpochRecord } from "../storage/records.ts";
import type { Replaced } from "./sent-messages.ts";

/** What the model had received in the epoch before. */
export interface Former {
  readonly epoch: EpochRecord | null;
  readonly snapshot: Snapshot;
  /** The last text by which each key was announced. */
  readonly texts: ReadonlyMap<string, string>;
}

/** A new epoch that is due: it is completed and stored in system.transform, with the host's own text. */
export interface Opening {
  readonly cause: EpochCause;
  /** The ledger's highest sequence number that the decision was made on. */
  readonly afterSeq: number;
  readonly startMessageId: string | null;
  /** What the model had received before; unavailable sources are carried over from it. */
  readonly former: Former;
  readonly observed: Observed;
  /** Entries that belong to the new epoch; what they replace is replaced in this call, too. */
  readonly drafts: readonly NamedDraft[];
  /** Proposals that are done with once the epoch is stored. */
  readonly settled: readonly number[];
  readonly on: DecidedOn;
}

/** A boundary at which the session's own edits changed what was sent before. */
export interface OwnRewrite {
  readonly boundary: Boundary["kind"];
  readonly atMs: number;
}

/** What both hooks of one model call share. */
export interface PassFacts {
  readonly agent: string;
  readonly providerId: string;
  readonly modelId: string;
  /** The prompt's own system text, which the host appends to the system string. */
  readonly ownSystem: string | null;
  /** Whether the host appends its note on structured output. */
  readonly structuredNote: "present" | "absent";
  /** The history as it is sent. */
  readonly messages: readonly HostMessage[];
  /** Ids of the host's messages, and of those that replay has made, that may be new to this epoch's calls. */
  readonly unsentIds: readonly string[];
  /** Ids of the host's messages, in order. */
  readonly historyIds: readonly string[];
  readonly replaced: Replaced;
  /** The newest boundary of this process at which edits of ours changed what was sent before. */
  readonly rewrite: OwnRewrite | null;
  readonly startedAtMs: number;
}

/** What messages.transform leaves for the system.transform of the same call. */
export type Pass =
  | { readonly kind: "steady"; readonly epoch: EpochRecord; readonly facts: PassFacts }
  | { readonly kind: "opening"; readonly opening: Opening; readonly facts: PassFacts }
  /** The projection failed: the host's own system string goes with the host's own messages. */
  | { readonly kind: "passthrough" };
