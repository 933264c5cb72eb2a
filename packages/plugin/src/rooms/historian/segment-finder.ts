// Finds segments by what a model wrote of them, their events too, and what each of them covers.
import { hashText } from "../../context/canonical.ts";
import { inLine, quotation } from "../../context/inert.ts";
import { numbered } from "../../context/quote.ts";
import type {
  Finder,
  Finding,
  Found,
  FoundSegment,
  MeantTexts,
  Term,
  Within,
} from "../../features/finders.ts";
import { placedIn } from "../../history/written.ts";
import { type HostMessage, isText } from "../../projection/message.ts";
import { type Ref, refOf } from "../../projection/ref.ts";
import type { SentHistory } from "../../projection/shown-parts.ts";
import type { SessionId } from "../../storage/records.ts";
import { searchable, searchTexts } from "../memory/search.ts";
import { snippetOf } from "../recall/snippet.ts";
import { rootOf } from "./segment-store.ts";
import type { SegmentRecord } from "./segment-table.ts";

interface SegmentFinderDeps {
  /** Of all sessions of the project, the newest writing first. Rejects where they can't be read now. */
  readonly rows: () => Promise<readonly SegmentRecord[]>;
  /** Undefined: the session isn't at work here. */
  readonly live: (sessionId: SessionId) => SentHistory | undefined;
  /** The messages of a session that recall has indexed: what was undone is not among them. Null: it has none. */
  readonly indexed: (sessionId: SessionId) => ReadonlySet<string> | null;
  readonly failed: (error: unknown) => void;
}

/** A segment that stands, in the session that it is found in. */
interface Standing extends Pick<FoundSegment, "ref" | "sessionId" | "firstId" | "lastId"> {
  readonly record: SegmentRecord;
}

/** So many are given to one look-up. */
const MOST_FOUND = 5;
const SNIPPET_TOKENS = 170;

interface SegmentFinder {
  readonly finder: Finder;
  readonly meant: MeantTexts;
  readonly segment: (sessionId: SessionId, ref: Ref) => Promise<FoundSegment | null>;
}

export function segmentFinder(deps: SegmentFinderDeps): SegmentFinder {
  const guarded = async <Result>(
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
      guarded<Found>({ findings: [], inContext: 0 }, async () => {
        const shown = shownText(deps.live(sessionId));
        const found = searchTexts(documentsOf(await standingIn(deps, sessionId, within)), terms);
        const fresh = found.filter(({ text }) => !isShown(shown, text));
        const findings = fresh.slice(0, MOST_FOUND).map((one) => findingOf(one, sessionId, terms));
        return { findings, inContext: found.length - fresh.length };
      }),
    // It is shown with its messages, which recall has.
    show: async () => null,
  };
  const all = () => standingIn(deps, NOBODY, "project");
  const meant: MeantTexts = {
    kind: "segment",
    list: async () =>
      (await all()).map((one) => ({ key: keyOf(one), digest: hashText(textOf(one)) })),
    texts: async (keys) => {
      const byKey = new Map((await all()).map((one) => [keyOf(one), textOf(one)]));
      return keys.map((key) => byKey.get(key) ?? null);
    },
    find: async ({ sessionId, terms, within }, keys) => {
      const shown = shownText(deps.live(sessionId));
      const some = await standingIn(deps, sessionId, within);
      const byKey = new Map(some.map((one) => [keyOf(one), one]));
      return keys.map((key) => {
        const one = byKey.get(key);
        if (one === undefined) return "gone";
        const words = { standing: one, what: "summary", text: one.record.texts.full };
        return isShown(shown, words.text) ? "in context" : findingOf(words, sessionId, terms);
      });
    },
  };
  return {
    finder,
    meant,
    segment: async (sessionId, ref) =>
      guarded<FoundSegment | null>(null, async () => {
        const here = await standingIn(deps, sessionId, "project");
        const found = here.filter((one) => one.ref === ref);
        const one = found.find((other) => other.sessionId === sessionId) ?? found[0];
        return one ? wholeOf(one, sessionId) : null;
      }),
  };
}

const NOBODY = "" as SessionId;

/** What is searched of a segment: its words, and each of its events. */
interface Document {
  readonly standing: Standing;
  readonly what: string;
  readonly text: string;
}

function documentsOf(all: readonly Standing[]) {
  return all.flatMap((standing) => {
    const { texts, events } = standing.record;
    const words = { standing, what: "summary", text: texts.full };
    const each = events.map(({ type, text }): Document => ({ standing, what: type, text }));
    return [words, ...each].map((one) => searchable<Document>(one, one.text));
  });
}

function findingOf(
  { standing, what, text }: Document,
  asker: SessionId,
  terms: readonly Term[],
): Finding {
  const words = terms.map((term) => ({ text: term.text, weight: 1 }));
  const lines = snippetOf(numbered(text.split("\n")), words, SNIPPET_TOKENS);
  const { ref, record } = standing;
  return {
    ref,
    words: `${what}${ofOther(standing, asker)}`,
    madeAtMs: record.writtenAtMs,
    lines: lines.map((line) => line.text),
  };
}

function wholeOf(standing: Standing, asker: SessionId): FoundSegment {
  const { record, ref, sessionId, firstId, lastId } = standing;
  const words = `summary and ${record.messageCount} messages${ofOther(standing, asker)}`;
  const lines = textOf(standing).split("\n");
  const found = { ref, sessionId, firstId, lastId, events: eventsOf(standing) };
  return { ...found, words, lines, madeAtMs: record.writtenAtMs };
}

function ofOther({ sessionId }: Standing, asker: SessionId): string {
  return sessionId === asker ? "" : ` of session ${sessionId}`;
}

function textOf(standing: Standing): string {
  return [standing.record.texts.full, ...eventsOf(standing)].join("\n");
}

function eventsOf({ record: { events } }: Standing): readonly string[] {
  return events.map(({ type, text }) => inLine(`${type}: ${text}`));
}

function keyOf({ record: { sessionId, generation, firstId } }: Standing): string {
  return `${sessionId} ${generation} ${firstId}`;
}

/** Those of the asker by its history, as it is now; those of others by what is known of theirs. */
async function standingIn(
  { rows, live, indexed }: SegmentFinderDeps,
  asker: SessionId,
  within: Within,
): Promise<readonly Standing[]> {
  const all = await rows();
  const history = live(asker);
  const own = history ? ofHistory(all, asker, history.host, indexed) : [];
  const said = new Set(own.map(keyOf));
  const sessions = new Set(all.map(({ sessionId }) => sessionId));
  const others = [...sessions].flatMap((sessionId) => {
    if (sessionId === asker ? history !== undefined : within === "session") return [];
    const other = live(sessionId);
    return other ? ofHistory(all, sessionId, other.host, indexed) : ofRows(all, sessionId, indexed);
  });
  return [...own, ...others.filter((one) => !said.has(keyOf(one)))];
}

function ofHistory(
  all: readonly SegmentRecord[],
  sessionId: SessionId,
  messages: readonly HostMessage[],
  indexed: SegmentFinderDeps["indexed"],
): readonly Standing[] {
  const root = rootOf(messages);
  const lineage = all.filter((one) => one.sessionId === sessionId || one.root === root);
  const records = new Map<object, SegmentRecord>(lineage.map((one) => [one, one]));
  const placed = placedIn(lineage, messages, { first: 0, last: messages.length - 1 });
  const idAt = (index: number) => messages[index]?.info.id ?? "";
  const here = placed.flatMap(({ written, first, last }) => {
    const record = records.get(written);
    if (record === undefined) return [];
    return [standingAs(record, sessionId, idAt(first), idAt(last))];
  });
  const isBefore = tookAway(messages, () => indexed(sessionId));
  const before = all.filter((one) => one.sessionId === sessionId && isBefore(one.lastId));
  return [...ofRows(before, sessionId, () => null), ...here];
}

/**
 * Whether a compaction took a message away: that was not undone. Where ids rise with time it is older than
 * all; elsewhere recall still has it, as what was undone leaves the index.
 */
function tookAway(
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

/** The newest writing of each place. */
function ofRows(
  all: readonly SegmentRecord[],
  sessionId: SessionId,
  indexed: SegmentFinderDeps["indexed"],
): readonly Standing[] {
  const known = indexed(sessionId);
  const taken: SegmentRecord[] = [];
  for (const one of all) {
    if (one.sessionId !== sessionId || (known && !known.has(one.lastId))) continue;
    if (!taken.some((other) => overlaps(one, other))) taken.push(one);
  }
  return taken.map((one) => standingAs(one, sessionId, one.firstId, one.lastId));
}

/** By places, which begin again after a compaction, and by ids, which rise with time on some hosts only. */
function overlaps(one: SegmentRecord, other: SegmentRecord): boolean {
  const endOf = ({ place, messageCount }: SegmentRecord) => place + messageCount;
  const inPlace = one.place < endOf(other) && other.place < endOf(one);
  return inPlace && one.firstId <= other.lastId && other.firstId <= one.lastId;
}

function standingAs(
  record: SegmentRecord,
  sessionId: SessionId,
  firstId: string,
  lastId: string,
): Standing {
  return { record, sessionId, firstId, lastId, ref: refOf("h", firstId) };
}

/** What was sent in words: a fold says segments. */
function shownText(history: SentHistory | undefined): string {
  const parts = (history?.sent ?? []).flatMap((message) => message.parts);
  return parts.flatMap((part) => (isText(part) ? [part.text] : [])).join("\n");
}

function isShown(shown: string, text: string): boolean {
  return shown.includes(quotation(text));
}
