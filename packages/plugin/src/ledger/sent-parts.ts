// Finds the parts that the model was sent as the host has them.
import { containsAll } from "./after-result.ts";
import type { HostMessage } from "./message.ts";
import { isPruned } from "./prune.ts";

/** A history as the host has it, and as it was sent. */
export interface SentHistory {
  readonly host: readonly HostMessage[];
  /** The messages as sent. A part sent as the host has it is the same object, or has a text of ours after it. */
  readonly sent: readonly HostMessage[];
}

export function shownPartIds(history: SentHistory | undefined): ReadonlySet<string> {
  if (!history) return new Set();
  const own = new Map(history.host.flatMap(({ parts }) => parts.map((part) => [part.id, part])));
  const shown = history.sent.flatMap(({ parts }) =>
    parts.filter((part) => {
      const held = own.get(part.id);
      return held !== undefined && containsAll(part, held) && !isPruned(part);
    }),
  );
  return new Set(shown.map(({ id }) => id));
}
