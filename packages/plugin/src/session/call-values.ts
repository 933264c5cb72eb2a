// The values of one model call, built once in its messages.transform.
import type { HostMessage } from "../projection/message.ts";
import type { Watermark } from "../projection/position.ts";
import type { SessionMessage } from "./history.ts";
import type { SessionMemory } from "./memory.ts";
import type { PassFacts } from "./pass.ts";
import type { SessionView } from "./view.ts";

export type CallFacts = Omit<
  PassFacts,
  "messages" | "unsentIds" | "historyIds" | "replaced" | "rewrite"
>;

export interface CallValues {
  readonly memory: SessionMemory;
  readonly messages: readonly SessionMessage[];
  /** The same, results that the host's prune has blanked as they were sent. */
  readonly held: readonly HostMessage[];
  readonly view: SessionView;
  readonly facts: CallFacts;
  readonly sent: ReadonlySet<string>;
  /** The newest of these messages that an earlier call of the epoch had sent. */
  readonly watermark: Watermark | null;
  readonly unsent: readonly SessionMessage[];
  readonly historyIds: readonly string[];
}
