// Finds which of the segments that a model has written still match a history, and at which positions.
import { hashText } from "../context/canonical.ts";
import {
  type HostMessage,
  hasEnded,
  isFile,
  isText,
  isTool,
  readResultText,
} from "../ledger/message.ts";
import type { SegmentKind, Tier } from "./folded-text.ts";
import { type IndexRange, trimDialogueEnds } from "./work.ts";

/** A segment as it is stored. */
export interface WrittenSegment {
  /** The segment's first and last message, in the session for which it was written. */
  readonly firstId: string;
  readonly lastId: string;
  /** The index of the first message in that session's array: a fork has other ids at the same places. */
  readonly place: number;
  readonly messageCount: number;
  /** The digest of the summarised messages: if they differ now, the segment is stale. */
  readonly digest: string;
  readonly kind: SegmentKind;
  /** How slowly the segment fades, from 0 to 100. */
  readonly importance: number;
  readonly texts: Readonly<Record<Tier, string>>;
}

/** Returns the segments that were written for a history, the newest first. */
export type ReadWrittenSegments = (messages: readonly HostMessage[]) => readonly WrittenSegment[];

export const readNothingWritten: ReadWrittenSegments = () => [];

/** A segment with the indices of the messages that it stands for, in the host's array; both are included. */
export interface PlacedSegment {
  readonly written: WrittenSegment;
  readonly first: number;
  readonly last: number;
}

/**
 * Finds the segments that stand wholly within these places, in order and without overlaps: of two that
 * overlap, the one that comes first in the list wins.
 */
export function placeSegments(
  written: readonly WrittenSegment[],
  messages: readonly HostMessage[],
  within: IndexRange,
): readonly PlacedSegment[] {
  return placeSegmentsWith(written, messages, within, (range) => range);
}

/** Places only the segments' work: a segment may be about a whole turn, whose words stay in place. */
export function placeSegmentWork(
  written: readonly WrittenSegment[],
  messages: readonly HostMessage[],
  within: IndexRange,
): readonly PlacedSegment[] {
  return placeSegmentsWith(written, messages, within, (range) => trimDialogueEnds(messages, range));
}

function placeSegmentsWith(
  written: readonly WrittenSegment[],
  messages: readonly HostMessage[],
  within: IndexRange,
  toStretch: (range: IndexRange) => IndexRange,
): readonly PlacedSegment[] {
  if (written.length === 0) return [];
  const indexById = new Map(messages.map(({ info }, index) => [info.id, index]));
  const taken: PlacedSegment[] = [];
  for (const one of written) {
    const from = indexById.get(one.firstId) ?? one.place;
    const range = { first: from, last: from + one.messageCount - 1 };
    const { first, last } = toStretch(range);
    if (first > last || first < within.first || last > within.last) continue;
    if (taken.some((other) => other.first <= last && first <= other.last)) continue;
    if (digestRange(messages.slice(range.first, range.last + 1)) !== one.digest) continue;
    taken.push({ written: one, first, last });
  }
  return taken.sort((one, other) => one.first - other.first);
}

/**
 * Returns a digest that is the same for the same words in any session: it includes no ids, no times, and
 * nothing that the host or a plugin adds for a single call.
 */
export function digestRange(messages: readonly HostMessage[]): string {
  return hashText(JSON.stringify(messages.map(listContents)));
}

function listContents({ info, parts }: HostMessage): readonly unknown[] {
  const contents = parts.flatMap((part): readonly unknown[] => {
    if (isText(part)) return part.synthetic || part.ignored ? [] : [part.text];
    if (isFile(part)) return [[part.mime, part.filename ?? null]];
    if (!isTool(part)) return [];
    return [[part.tool, part.state.input ?? null, hasEnded(part) ? readResultText(part) : null]];
  });
  return [info.role, ...contents];
}
