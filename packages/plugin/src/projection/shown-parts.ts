// Which parts of a history the model was sent as the host has them.
import type { HostMessage, HostPart } from "./message.ts";
import { isPruned } from "./prune.ts";

/** A history as the host has it, and as it was sent. */
export interface SentHistory {
  readonly host: readonly HostMessage[];
  /** A part that was sent as the host has it is the very same. */
  readonly sent: readonly HostMessage[];
}

export function shownPartIds(history: SentHistory | undefined): ReadonlySet<string> {
  if (!history) return new Set();
  const own = new Set<HostPart>(history.host.flatMap(({ parts }) => parts));
  const shown = history.sent.flatMap(({ parts }) =>
    parts.filter((part) => own.has(part) && !isPruned(part)),
  );
  return new Set(shown.map(({ id }) => id));
}
