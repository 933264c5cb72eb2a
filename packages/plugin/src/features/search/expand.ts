// Renders the answer of `ctx_expand`: a record or a segment line by line, and how to get the rest.
import {
  frameRecalledQuotes,
  numberTexts,
  type RecordLine,
  renderQuote,
  toSingleLine,
} from "../../context/frames.ts";
import type { FoundSegment } from "../../feature-api/finders.ts";
import { readHeading } from "../../history/folded-text.ts";
import { isText } from "../../ledger/message.ts";
import { deriveRef, type Ref } from "../../ledger/ref.ts";
import type { SentHistory } from "../../ledger/revise.ts";
import { estimateTokens } from "../../ledger/tokens.ts";
import { compareTime } from "../../search-index/document.ts";
import type { IndexStore } from "../../search-index/store.ts";
import type { SessionId } from "../../storage/records.ts";
import { sliceWholeCharacters } from "./fold-text.ts";
import { joinPassages } from "./snippet.ts";

/** The most tokens that one page may take. */
const PAGE_TOKENS = 8_000;
/** A longer line is cut, because another tool can show a file's bytes. */
const MAX_LINE_CHARS = 8_000;

/** Selects the lines of a record that are shown. */
export interface Page {
  /** The first line, counted from 1. */
  readonly from: number;
  /** The most lines to show. */
  readonly lines: number;
}

export interface ExpandedRecord {
  readonly ref: Ref;
  readonly words: string;
  readonly lines: readonly RecordLine[];
  /** Lines that we add, by the number of the record's line before which each one is shown. */
  readonly heads: ReadonlyMap<number, string>;
}

export const NO_HEADS: ReadonlyMap<number, string> = new Map();

export function renderRecord({ ref, words, lines, heads }: ExpandedRecord, page: Page): string {
  const total = lines.length;
  const asked = lines.filter(({ number }) => number >= page.from).slice(0, page.lines);
  const first = asked[0];
  if (!first) {
    return `${ref} (${toSingleLine(words)}) has ${total} lines; there is none from ${page.from} on.`;
  }
  const shown = boundLines(asked);
  const last = shown.at(-1)?.number ?? first.number;
  const place =
    shown.length === total ? `${total} lines` : `lines ${first.number} to ${last} of ${total}`;
  const said = shown.flatMap((line) => [...listHeads(heads, line), renderQuote([line])]);
  const text = frameRecalledQuotes([`[${ref}] ${toSingleLine(words)}, ${place}`, ...said]);
  return last < total ? `${text}\nctx_expand ${ref} with from: ${last + 1} shows the rest.` : text;
}

function listHeads(heads: ReadonlyMap<number, string>, { number }: RecordLine): readonly string[] {
  const head = heads.get(number);
  return head === undefined ? [] : [head];
}

/** Returns as many lines as fit, but always at least one. */
function boundLines(lines: readonly RecordLine[]): readonly RecordLine[] {
  let left = PAGE_TOKENS;
  const cut = lines.map(({ number, text }) => ({ number, text: shortenText(text) }));
  const end = cut.findIndex(({ text }) => {
    left -= estimateTokens(text) + 3;
    return left < 0;
  });
  return end === -1 ? cut : cut.slice(0, Math.max(1, end));
}

function shortenText(text: string): string {
  if (text.length <= MAX_LINE_CHARS) return text;
  const rest = text.length - MAX_LINE_CHARS;
  return `${sliceWholeCharacters(text, 0, MAX_LINE_CHARS)}… (${rest} more characters)`;
}

// Builds the record of a segment: what a model wrote about it, and its messages from the first to the last.

/** Names messages of a session by id, both ends included. */
interface MessageRange {
  readonly sessionId: SessionId;
  readonly firstId: string;
  /** The id of the last message; null if it is not known. */
  readonly lastId: string | null;
}

/** At most this many texts, calls and results are shown of a segment. */
const MAX_PARTS = 1_000;

/** Returns null if no segment has that ref. */
export function buildSegmentRecord(
  store: IndexStore,
  ref: Ref,
  {
    written,
    extracted,
  }: { readonly written: FoundSegment | null; readonly extracted: MessageRange | null },
): ExpandedRecord | null {
  const covered = extracted ?? written;
  if (covered === null) return null;
  const parts = listCoveredParts(store, covered);
  if (parts.length === 0 && written === null) return null;
  const texts = [...(written?.lines ?? [])];
  const heads = new Map<number, string>();
  for (const part of parts.slice(0, MAX_PARTS)) {
    heads.set(texts.length + 1, `[${part.ref}] ${toSingleLine(part.words)}`);
    const lines = joinPassages(store.readPassages(part, 0, part.passages)).map(({ text }) => text);
    texts.push(...(lines.length === 0 ? [""] : lines));
  }
  const left = parts.length - MAX_PARTS;
  const rest = left > 0 ? `, without the last ${left} texts and results` : "";
  const words = written?.words ?? (covered.lastId === null ? "messages from there on" : "messages");
  return { ref, words: `${words}${rest}`, lines: numberTexts(texts), heads };
}

/** Lists the parts in the order of their messages. */
function listCoveredParts(store: IndexStore, { sessionId, firstId, lastId }: MessageRange) {
  const all = store.listDocuments(sessionId).toSorted(compareTime);
  // Returns null for a message that has no part in the index, because its time is unknown.
  const findMessagePart = (messageId: string) =>
    all.find((part) => part.messageId === messageId) ?? null;
  const [first, last] = [
    findMessagePart(firstId),
    lastId === null ? null : findMessagePart(lastId),
  ];
  return all.filter((part) => {
    const isFrom = first ? compareTime(part, first) >= 0 : part.messageId >= firstId;
    const isTo = last ? compareTime(part, last) <= 0 : lastId === null || part.messageId <= lastId;
    return isFrom && isTo;
  });
}

/** Finds the messages of a segment: by the fold that was sent, otherwise from its first message on. */
export function findCoveredRange(
  store: IndexStore,
  sessionId: SessionId,
  ref: Ref,
  history: SentHistory | undefined,
): MessageRange | null {
  const ids = (history?.host ?? []).map(({ info }) => info.id);
  const first = ids.findIndex((id) => deriveRef("h", id) === ref);
  const count = findMessageCount(history, ref);
  if (first !== -1 && count !== null) {
    return { sessionId, firstId: ids[first] ?? "", lastId: ids[first + count - 1] ?? null };
  }
  const part = store
    .listDocuments(sessionId)
    .find(({ messageId }) => deriveRef("h", messageId) === ref);
  return part ? { sessionId, firstId: part.messageId, lastId: null } : null;
}

/** Reads the number of messages from the segment's heading; null if no fold that was sent has it. */
function findMessageCount(history: SentHistory | undefined, ref: Ref): number | null {
  const own = new Set(history?.host.flatMap(({ parts }) => parts));
  for (const part of (history?.sent ?? []).flatMap(({ parts }) => parts)) {
    if (!isText(part) || own.has(part)) continue;
    for (const line of part.text.split("\n")) {
      const heading = readHeading(line);
      if (heading?.ref === ref) return heading.messageCount;
    }
  }
  return null;
}
