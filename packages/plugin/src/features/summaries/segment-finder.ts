// Finds segments by the text that a model wrote about them and by their events, and the messages they cover.
import { hashText } from "../../context/canonical.ts";
import { numberTexts, quoteLines, toSingleLine } from "../../context/frames.ts";
import type {
  Finder,
  FinderResult,
  Finding,
  FoundSegment,
  SearchRange,
  SemanticCorpus,
  Term,
} from "../../feature-api/finders.ts";
import { placeSegments } from "../../history/written.ts";
import { type HostMessage, isText } from "../../ledger/message.ts";
import { deriveRef, type Ref } from "../../ledger/ref.ts";
import type { SentHistory } from "../../ledger/revise.ts";
import type { SessionId } from "../../storage/records.ts";
import { searchTexts, toSearchableText } from "../memory/search.ts";
import { cutSnippet } from "../search/snippet.ts";
import { digestRoot } from "./segment-store.ts";
import type { SegmentRecord } from "./segment-table.ts";

interface SegmentFinderDeps {
  /** Reads the segments of all sessions of the project, latest written first. Rejects if they can't be read now. */
  readonly rows: () => Promise<readonly SegmentRecord[]>;
  /** Returns undefined if the session isn't at work here. */
  readonly live: (sessionId: SessionId) => SentHistory | undefined;
  /**
   * Returns the ids of the session's messages that recall has indexed, without what was undone; null if there are
   * none.
   */
  readonly indexed: (sessionId: SessionId) => ReadonlySet<string> | null;
  readonly failed: (error: unknown) => void;
}

/**
 * An active segment, with the session and the message ids of the history in which it was found; after a fork
 * they are not those for which it was written.
 */
interface CurrentSegment extends Pick<FoundSegment, "ref" | "sessionId" | "firstId" | "lastId"> {
  readonly record: SegmentRecord;
}

/** The most segments that one search returns. */
const MAX_FINDINGS = 5;
const SNIPPET_TOKENS = 170;

interface SegmentFinder {
  readonly finder: Finder;
  readonly semantic: SemanticCorpus;
  readonly segment: (sessionId: SessionId, ref: Ref) => Promise<FoundSegment | null>;
}

export function createSegmentFinder(deps: SegmentFinderDeps): SegmentFinder {
  const withFallback = async <Result>(
    otherwise: Result,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      deps.failed(error);
      return otherwise;
    }
  };
  const finder: Finder = {
    search: async (sessionId, terms, within) =>
      withFallback<FinderResult>({ findings: [], inContext: 0 }, async () => {
        const shown = joinSentTexts(deps.live(sessionId));
        const found = searchTexts(
          listDocuments(await listActiveSegments(deps, sessionId, within)),
          terms,
        );
        const fresh = found.filter(({ text }) => !isShown(shown, text));
        const findings = fresh
          .slice(0, MAX_FINDINGS)
          .map((one) => toFinding(one, sessionId, terms));
        return { findings, inContext: found.length - fresh.length };
      }),
    // Returns null because recall itself shows the segment, together with its messages.
    show: async () => null,
  };
  const listProjectSegments = () => listActiveSegments(deps, NO_SESSION, "project");
  const meant: SemanticCorpus = {
    kind: "segment",
    list: async () =>
      (await listProjectSegments()).map((one) => ({
        key: toSegmentKey(one),
        digest: hashText(joinText(one)),
      })),
    texts: async (keys) => {
      const byKey = new Map(
        (await listProjectSegments()).map((one) => [toSegmentKey(one), joinText(one)]),
      );
      return keys.map((key) => byKey.get(key) ?? null);
    },
    find: async ({ sessionId, terms, within }, keys) => {
      const shown = joinSentTexts(deps.live(sessionId));
      const some = await listActiveSegments(deps, sessionId, within);
      const byKey = new Map(some.map((one) => [toSegmentKey(one), one]));
      return keys.map((key) => {
        const one = byKey.get(key);
        if (one === undefined) return "gone";
        const words = { standing: one, what: "summary", text: one.record.texts.full };
        return isShown(shown, words.text) ? "in context" : toFinding(words, sessionId, terms);
      });
    },
  };
  return {
    finder,
    semantic: meant,
    segment: async (sessionId, ref) =>
      withFallback<FoundSegment | null>(null, async () => {
        const here = await listActiveSegments(deps, sessionId, "project");
        const found = here.filter((one) => one.ref === ref);
        const one = found.find((other) => other.sessionId === sessionId) ?? found[0];
        return one ? toFoundSegment(one, sessionId) : null;
      }),
  };
}

const NO_SESSION = "" as SessionId;

/** Holds one searchable text of a segment: its summary, or one of its events. */
interface SegmentDocument {
  readonly standing: CurrentSegment;
  readonly what: string;
  readonly text: string;
}

function listDocuments(all: readonly CurrentSegment[]) {
  return all.flatMap((standing) => {
    const { texts, events } = standing.record;
    const words = { standing, what: "summary", text: texts.full };
    const each = events.map(({ type, text }): SegmentDocument => ({ standing, what: type, text }));
    return [words, ...each].map((one) => toSearchableText<SegmentDocument>(one, one.text));
  });
}

function toFinding(
  { standing, what, text }: SegmentDocument,
  asker: SessionId,
  terms: readonly Term[],
): Finding {
  const words = terms.map((term) => ({ text: term.text, weight: 1 }));
  const lines = cutSnippet(numberTexts(text.split("\n")), words, SNIPPET_TOKENS);
  const { ref, record } = standing;
  return {
    ref,
    words: `${what}${renderOrigin(standing, asker)}`,
    madeAtMs: record.writtenAtMs,
    lines: lines.map((line) => line.text),
  };
}

function toFoundSegment(standing: CurrentSegment, asker: SessionId): FoundSegment {
  const { record, ref, sessionId, firstId, lastId } = standing;
  const words = `summary and ${record.messageCount} messages${renderOrigin(standing, asker)}`;
  const lines = joinText(standing).split("\n");
  const found = { ref, sessionId, firstId, lastId, events: formatEvents(standing) };
  return { ...found, words, lines, madeAtMs: record.writtenAtMs };
}

function renderOrigin({ sessionId }: CurrentSegment, asker: SessionId): string {
  return sessionId === asker ? "" : ` of session ${sessionId}`;
}

function joinText(standing: CurrentSegment): string {
  return [standing.record.texts.full, ...formatEvents(standing)].join("\n");
}

function formatEvents({ record: { events } }: CurrentSegment): readonly string[] {
  return events.map(({ type, text }) => toSingleLine(`${type}: ${text}`));
}

function toSegmentKey({ record: { sessionId, generation, firstId } }: CurrentSegment): string {
  return `${sessionId} ${generation} ${firstId}`;
}

/** Takes the asking session's segments by its current history, other sessions' by what is known of theirs. */
async function listActiveSegments(
  { rows, live, indexed }: SegmentFinderDeps,
  asker: SessionId,
  within: SearchRange,
): Promise<readonly CurrentSegment[]> {
  const all = await rows();
  const history = live(asker);
  const own = history ? listSegmentsFromHistory(all, asker, history.host, indexed) : [];
  const said = new Set(own.map(toSegmentKey));
  const sessions = new Set(all.map(({ sessionId }) => sessionId));
  const others = [...sessions].flatMap((sessionId) => {
    if (sessionId === asker ? history !== undefined : within === "session") return [];
    const other = live(sessionId);
    return other
      ? listSegmentsFromHistory(all, sessionId, other.host, indexed)
      : listSegmentsFromRows(all, sessionId, indexed);
  });
  return [...own, ...others.filter((one) => !said.has(toSegmentKey(one)))];
}

function listSegmentsFromHistory(
  all: readonly SegmentRecord[],
  sessionId: SessionId,
  messages: readonly HostMessage[],
  indexed: SegmentFinderDeps["indexed"],
): readonly CurrentSegment[] {
  const root = digestRoot(messages);
  const lineage = all.filter((one) => one.sessionId === sessionId || one.root === root);
  const records = new Map<object, SegmentRecord>(lineage.map((one) => [one, one]));
  const placed = placeSegments(lineage, messages, { first: 0, last: messages.length - 1 });
  const getIdAt = (index: number) => messages[index]?.info.id ?? "";
  const here = placed.flatMap(({ written, first, last }) => {
    const record = records.get(written);
    if (record === undefined) return [];
    return [toCurrentSegment(record, sessionId, getIdAt(first), getIdAt(last))];
  });
  const isBefore = createCompactionTest(messages, () => indexed(sessionId));
  const before = all.filter((one) => one.sessionId === sessionId && isBefore(one.lastId));
  return [...listSegmentsFromRows(before, sessionId, () => null), ...here];
}

/**
 * Returns a test for whether a compaction, and not an undo, removed a message. If ids rise with time, the message is
 * older than all present ones; otherwise recall still has it, because what was undone leaves the index.
 */
function createCompactionTest(
  messages: readonly HostMessage[],
  indexed: () => ReadonlySet<string> | null,
): (id: string) => boolean {
  const ids = messages.map(({ info }) => info.id);
  const [oldest = ""] = ids;
  if (ids.every((id, at) => (ids[at - 1] ?? "") < id)) return (id) => id < oldest;
  const present = new Set(ids);
  const known = indexed();
  return (id) => !present.has(id) && known?.has(id) === true;
}

/** Takes, for each place, the segment that was written last. */
function listSegmentsFromRows(
  all: readonly SegmentRecord[],
  sessionId: SessionId,
  indexed: SegmentFinderDeps["indexed"],
): readonly CurrentSegment[] {
  const known = indexed(sessionId);
  const taken: SegmentRecord[] = [];
  for (const one of all) {
    if (one.sessionId !== sessionId || (known && !known.has(one.lastId))) continue;
    if (!taken.some((other) => overlaps(one, other))) taken.push(one);
  }
  return taken.map((one) => toCurrentSegment(one, sessionId, one.firstId, one.lastId));
}

/** Compares places, which begin again after a compaction, and ids, which rise with time on some hosts only. */
function overlaps(one: SegmentRecord, other: SegmentRecord): boolean {
  const computeSegmentEnd = ({ place, messageCount }: SegmentRecord) => place + messageCount;
  const inPlace = one.place < computeSegmentEnd(other) && other.place < computeSegmentEnd(one);
  return inPlace && one.firstId <= other.lastId && other.firstId <= one.lastId;
}

function toCurrentSegment(
  record: SegmentRecord,
  sessionId: SessionId,
  firstId: string,
  lastId: string,
): CurrentSegment {
  return { record, sessionId, firstId, lastId, ref: deriveRef("h", firstId) };
}

/** Joins the texts that were sent; a fold contains the texts of segments. */
function joinSentTexts(history: SentHistory | undefined): string {
  const parts = (history?.sent ?? []).flatMap((message) => message.parts);
  return parts.flatMap((part) => (isText(part) ? [part.text] : [])).join("\n");
}

function isShown(shown: string, text: string): boolean {
  return shown.includes(quoteLines(text));
}
