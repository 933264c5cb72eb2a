// Holds the values of one model call, which are built once and passed down.
import type { HostMessage } from "../ledger/message.ts";
import type { Watermark } from "../ledger/position.ts";
import type { HistoryHead, SessionMessage } from "./history.ts";
import type { SessionView } from "./view.ts";

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
  /** The same messages, with results that the host's prune has blanked as they were sent. */
  readonly held: readonly HostMessage[];
  readonly head: HistoryHead;
  /** The state of the session's ledger for these messages. */
  readonly view: SessionView;
  /** The messages that are sent if nothing is decided. */
  readonly projected: readonly HostMessage[];
  readonly facts: CallFacts;
  /** Ids of the messages that the epoch's earlier calls have sent. */
  readonly sent: ReadonlySet<string>;
  /** The newest of these messages that an earlier call of the epoch had sent. */
  readonly watermark: Watermark | null;
  readonly unsent: readonly SessionMessage[];
  readonly historyIds: readonly string[];
}
