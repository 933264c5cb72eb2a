// Holds the values of one model call, and what its two hooks share.
import type { Snapshot } from "../context/snapshot.ts";
import type { ObservedContext } from "../context/system-context.ts";
import type { Boundary, Watermark } from "../ledger/boundary.ts";
import type { BoundaryInputs, NamedDraft } from "../ledger/entry.ts";
import type { HostMessage } from "../ledger/message.ts";
import type { EpochRecord } from "../storage/ledger-table.ts";
import type { EpochCause } from "../storage/records.ts";
import type { HistoryHead, SessionMessage } from "./history.ts";
import type { SessionView } from "./view.ts";

// Holds the values of one model call, which are built once and passed down.

/** The agent, the model and the time of a call. */
export interface CallFacts {
  readonly agent: string;
  readonly providerId: string;
  readonly modelId: string;
  /** The prompt's own system text, which the host appends to the system string. */
  readonly ownSystem: string | null;
  /** `present` if the host appends its note on structured output. */
  readonly structuredNote: "present" | "absent";
  readonly startedAtMs: number;
}

export interface Call {
  /** The host's messages. */
  readonly messages: readonly SessionMessage[];
  /** The same messages, in which results that the host's prune has blanked are as they were sent. */
  readonly held: readonly HostMessage[];
  readonly head: HistoryHead;
  /** The state of the session's ledger for these messages. */
  readonly view: SessionView;
  /** The messages that are sent if nothing is decided. */
  readonly projected: readonly HostMessage[];
  readonly facts: CallFacts;
  /** Ids of the messages that the epoch's earlier calls have sent. */
  readonly sent: ReadonlySet<string>;
  /** The newest of these messages that an earlier call of the epoch had sent; null if there is none. */
  readonly watermark: Watermark | null;
  readonly unsent: readonly SessionMessage[];
  readonly historyIds: readonly string[];
}

/** The model's state at the end of the epoch before. */
export interface PreviousEpoch {
  readonly epoch: EpochRecord | null;
  readonly snapshot: Snapshot;
  /** The last text by which each key was announced. */
  readonly texts: ReadonlyMap<string, string>;
}

/** A new epoch, which system.transform completes and stores with the host's own text. */
export interface NewEpoch {
  readonly cause: EpochCause;
  /** The ledger's highest sequence number at the time of the decision. */
  readonly afterSeq: number;
  readonly startMessageId: string | null;
  /** The model's state before this epoch; unavailable sources are carried over from it. */
  readonly former: PreviousEpoch;
  readonly observed: ObservedContext;
  /** Entries of the new epoch; parts that they replace are replaced in this call, too. */
  readonly drafts: readonly NamedDraft[];
  /** Proposals that are settled once the epoch is stored. */
  readonly settled: readonly number[];
  readonly on: BoundaryInputs;
}

/** A boundary at which the session's own edits changed what was sent before. */
export interface OwnRewrite {
  readonly boundary: Boundary["kind"];
  readonly atMs: number;
}

/** The messages that differ between what is sent and the host's history. */
export interface ReplacedMessages {
  /** Messages that replay has made, and changed copies. */
  readonly made: readonly HostMessage[];
  /** The host's messages that are not sent as they are. */
  readonly hidden: readonly HostMessage[];
}

/** The facts that both hooks of one model call share. */
export interface PassFacts extends CallFacts {
  /** The history as it is sent. */
  readonly messages: readonly HostMessage[];
  /**
   * Ids of messages that may be new to this epoch's calls: the host's messages and those that replay has
   * made.
   */
  readonly unsentIds: readonly string[];
  /** Ids of the host's messages, in order. */
  readonly historyIds: readonly string[];
  readonly replaced: ReplacedMessages;
  /** The newest boundary of this process at which edits of ours changed what was sent before. */
  readonly rewrite: OwnRewrite | null;
}

/** Carries the decision of messages.transform to the system.transform of the same call. */
export type Pass =
  | { readonly kind: "steady"; readonly epoch: EpochRecord; readonly facts: PassFacts }
  | { readonly kind: "opening"; readonly opening: NewEpoch; readonly facts: PassFacts }
  /** The projection failed: the host's own system string goes with the host's own messages. */
  | { readonly kind: "passthrough" };

/** Collects the pass's facts. In an epoch that the call's view does not know, nothing counts as sent. */
export function collectPassFacts(
  { facts, messages, unsent, historyIds }: Call,
  projected: readonly HostMessage[],
  { epoch, rewrite }: { readonly epoch: "same" | "another"; readonly rewrite: OwnRewrite | null },
): PassFacts {
  const replaced = findReplacedMessages(projected, messages);
  const unsentIds = [
    ...(epoch === "same" ? listIds(unsent) : historyIds),
    ...listIds(replaced.made),
  ];
  return { ...facts, messages: projected, unsentIds, historyIds, replaced, rewrite };
}

export function findReplacedMessages(
  projected: readonly HostMessage[],
  messages: readonly HostMessage[],
): ReplacedMessages {
  if (projected === messages) return { made: [], hidden: [] };
  const made = new Set(projected);
  const hidden = messages.filter((message) => !made.delete(message));
  return { made: [...made], hidden };
}

function listIds(messages: readonly HostMessage[]): readonly string[] {
  return messages.map(({ info }) => info.id);
}
