// Tracks what an epoch's calls have sent, and what a history adds to it.
import type { SessionMessage } from "./history.ts";

/** The messages that the calls of one epoch have sent. */
export interface SentMessages {
  /** The epoch's sequence number; null before any epoch. */
  readonly epochSeq: number | null;
  /** Ids of the host's messages, and of those that replay has made. */
  readonly ids: Set<string>;
  /**
   * Ids of the host's messages as this process's newest call had them, in order; all of them are among `ids`.
   */
  readonly history: readonly string[];
}

export function createSentMessages(epochSeq: number | null): SentMessages {
  return { epochSeq, ids: new Set(), history: [] };
}

/** The host's messages compared with what was sent before. */
interface HistoryComparison {
  readonly unsent: readonly SessionMessage[];
  /** The ids of all of the host's messages, in order. */
  readonly historyIds: readonly string[];
}

/**
 * Compares by position first: a history grows at its end, and recognising each of a thousand messages at its
 * position in the newest call takes a tenth of the time of set lookups.
 */
export function compareWithSent(
  messages: readonly SessionMessage[],
  { ids, history }: SentMessages,
): HistoryComparison {
  let known = 0;
  while (known < messages.length && messages[known]?.info.id === history[known]) known += 1;
  const rest = messages.slice(known);
  return {
    unsent: rest.filter(({ info }) => !ids.has(info.id)),
    historyIds: history.slice(0, known).concat(rest.map(({ info }) => info.id)),
  };
}
