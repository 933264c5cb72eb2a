// Renders the report of /ctx-history: the folded history as the model has it, what was dropped, and when.
import { neutralize, quoteLines } from "../../context/frames.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import type { FindSegment } from "../../feature-api/finders.ts";
import { extractSegment } from "../../history/extract.ts";
import { readHeading, TIERS, type Tier } from "../../history/folded-text.ts";
import type { HistorySettings } from "../../history/settings.ts";
import { computeTail } from "../../history/tail.ts";
import type { ReadWrittenSegments, WrittenSegment } from "../../history/written.ts";
import type { EditOf } from "../../ledger/edit.ts";
import type { HostMessage } from "../../ledger/message.ts";
import type { NextCall } from "../../ledger/policy.ts";
import { deriveRef, type Ref } from "../../ledger/ref.ts";
import { toFaultFields } from "../../log/fault.ts";
import type { CommandReport, ReportDeps } from "../../status/report.ts";
import type { ActiveLedger } from "../../status/section.ts";
import { formatCount, renderCount, wrap } from "../../status/wording.ts";
import type { Driver } from "../../storage/driver.ts";
import { entryTable } from "../../storage/ledger-table.ts";
import type { SessionId } from "../../storage/records.ts";
import { isHistoryRewrite } from "./figures.ts";
import {
  createHistoryReader,
  type HistoryStatus,
  renderDropped,
  renderRewrite,
  renderTail,
  renderTotals,
  type TailReport,
} from "./rewrite-status.ts";

// Reads the segments of a folded history from the text that the model was sent; pure.

interface ShownSegment {
  /** The ref with which `ctx_expand` shows the messages themselves. */
  readonly ref: string;
  readonly messages: number;
  /** The segment's kind; null if the segment has faded to its heading. */
  readonly kind: string | null;
  /** The tier, which says how much of the segment is left; null if that can't be determined. */
  readonly tier: Tier | "faded" | null;
  readonly text: string;
  /** The segment's events, if a model has written them down. */
  readonly events: readonly string[];
}

export function parseSegments(foldText: string): readonly ShownSegment[] {
  const segments: { ref: string; messages: number; kind: string | null; lines: string[] }[] = [];
  for (const line of foldText.split("\n").slice(1, -1)) {
    const heading = readHeading(line);
    if (heading === null) segments.at(-1)?.lines.push(line);
    else segments.push({ ...heading, messages: heading.messageCount, lines: [] });
  }
  return segments.map(({ ref, messages, kind, lines }) => ({
    ref,
    messages,
    kind,
    tier: kind === null ? "faded" : null,
    text: lines.join("\n").trimEnd(),
    events: [],
  }));
}

/** Adds each segment's tier, by comparing its text with what its messages give in each tier. */
export function addTiers(
  segments: readonly ShownSegment[],
  messages: readonly HostMessage[],
  written: readonly WrittenSegment[],
): readonly ShownSegment[] {
  const indexById = new Map(
    messages.map(({ info }, index) => [deriveRef("h", info.id) as string, index]),
  );
  return segments.map((segment) => {
    const place = indexById.get(segment.ref);
    if (segment.tier !== null || place === undefined) return segment;
    const range = messages.slice(place, place + segment.messages);
    const said = [
      extractSegment(range, 0).texts,
      ...written.filter(({ firstId }) => firstId === range[0]?.info.id).map(({ texts }) => texts),
    ];
    const tier = TIERS.find((one) =>
      said.some((texts) => matchesShownText(texts[one], segment.text)),
    );
    return { ...segment, tier: tier ?? null };
  });
}

/** Compares a segment's text with the shown one, in which the lines of a model's words are marked as quotes. */
function matchesShownText(text: string, shown: string): boolean {
  return neutralize(text).trimEnd() === shown || quoteLines(text) === shown;
}

// Reads what is now folded and dropped of a session's history, with the texts that replace it.

interface DroppedPart {
  /** The ref with which `ctx_expand` shows the part itself. */
  readonly ref: string;
  readonly messageId: string;
  /** The text that replaces the part; null if nothing does. */
  readonly stub: string | null;
}

interface DroppedHistory {
  /** The folds, in the order of the history. */
  readonly folds: readonly EditOf<"fold">[];
  readonly drops: readonly DroppedPart[];
}

const ENTRY_COLUMNS = entryTable.pick("seq", "origin", "edit", "messageId", "partId");

/**
 * Creates the reader. Without the host's history (`shown` is null) it reads the whole epoch of the newest
 * call.
 */
export function createDroppedHistoryReader(driver: Driver) {
  return (sessionId: SessionId, shown: ActiveLedger | null): DroppedHistory => {
    const epochSeq = shown?.epochSeq ?? Number(driver.get(SELECT_EPOCH, sessionId)?.seq ?? 0);
    const entries = driver
      .all(SELECT_ENTRIES, sessionId, epochSeq)
      .map(ENTRY_COLUMNS.read)
      .filter((entry) => isHistoryRewrite(entry) && (!shown || shown.entrySeqs.has(entry.seq)));
    return {
      folds: entries.flatMap(({ edit }) => (edit?.verb === "fold" ? [edit] : [])),
      drops: entries.flatMap(({ edit }): readonly DroppedPart[] => {
        if (edit?.verb !== "replace" && edit?.verb !== "omit") return [];
        const { messageId, partId } = edit.at;
        const stub = edit.verb === "replace" ? edit.text : null;
        return [{ ref: deriveRef("r", partId), messageId, stub }];
      }),
    };
  };
}

const SELECT_EPOCH = `
  SELECT coalesce(
    (SELECT epoch_seq FROM turn WHERE session_id = ?1 ORDER BY seq DESC LIMIT 1),
    (SELECT max(seq) FROM epoch WHERE session_id = ?1)) AS seq`;

const SELECT_ENTRIES = `
  SELECT ${ENTRY_COLUMNS.columns} FROM entry
  WHERE session_id = ? AND epoch_seq = ? AND edit IS NOT NULL ORDER BY seq`;

interface ReportContext extends Pick<FeatureContext, "nextCall" | "log"> {
  readonly written: ReadWrittenSegments;
  readonly findSegment: FindSegment;
}

export async function renderHistoryReport(
  context: ReportContext,
  settings: HistorySettings,
  { sessionId, nowMs, database, shown }: ReportDeps,
): Promise<CommandReport> {
  const { store } = database();
  const status = store(createHistoryReader)(sessionId, shown);
  const gone = store(createDroppedHistoryReader)(sessionId, shown);
  const next = await tryReadNextCall(context, sessionId);
  const messages = next?.messages ?? [];
  const found = gone.folds.flatMap(({ text }) => parseSegments(text));
  const tiered = addTiers(found, messages, context.written(messages));
  const segments = await Promise.all(
    tiered.map(async (segment) => {
      const written = await context.findSegment(sessionId, segment.ref as Ref);
      return { ...segment, events: written?.events ?? [] };
    }),
  );
  const tail = next ? toTailReport(next, settings) : (status?.rewrites.at(-1) ?? null);
  const summary = (status && renderDropped(status)) ?? NOTHING_DROPPED_TEXT;
  return {
    text: renderHistory({ status, dropped: gone, segments, tail }, sessionId, nowMs),
    summary,
  };
}

/** Returns the next call; null if the host can't list the session: the report then lacks tiers and tail. */
async function tryReadNextCall(
  { nextCall, log }: ReportContext,
  sessionId: SessionId,
): Promise<NextCall | null> {
  try {
    return await nextCall(sessionId);
  } catch (error) {
    log.warn("history.next_call", toFaultFields(error));
    return null;
  }
}

/** Computes the tail in the same way as the next call would. */
function toTailReport(next: NextCall, settings: HistorySettings): TailReport {
  const { keepTokens, regret, spared } = computeTail(next, settings);
  return { keepTokens, regretTokens: Math.round(regret), sparedTokens: Math.round(spared) };
}

const NOTHING_DROPPED_TEXT =
  "Nothing of this session is folded or dropped: the model has all of it.";

interface ShownHistory {
  /** The status; null if nothing was ever rewritten. */
  readonly status: HistoryStatus | null;
  readonly dropped: DroppedHistory;
  readonly segments: readonly ShownSegment[];
  /** The tail; null if it is unknown. */
  readonly tail: TailReport | null;
}

/** Renders the report for a terminal of 80 columns; only lines of the folded history may be longer. */
export function renderHistory(
  { status, dropped, segments, tail }: ShownHistory,
  sessionId: string,
  nowMs: number,
): string {
  const title = `Session Runtime: history of ${sessionId}`;
  const sections: readonly (readonly string[])[] = [
    [title, "─".repeat(title.length)],
    wrap("", (status && renderDropped(status)) ?? NOTHING_DROPPED_TEXT),
    tail ? wrap("", renderTail(tail)) : [],
    renderSegments(segments),
    renderDrops(dropped),
    status ? renderRewrites(status, nowMs) : [],
    ...dropped.folds.map(({ text }) => ["As the model sees it", "", ...text.split("\n")]),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

function renderSegments(segments: readonly ShownSegment[]): readonly string[] {
  if (segments.length === 0) return [];
  const lines = segments.flatMap(({ ref, messages, kind, tier, events }) => [
    [`  ${ref}`, renderCount(messages, "message").padEnd(13), (kind ?? "").padEnd(9), tier ?? ""]
      .join("  ")
      .trimEnd(),
    ...events.flatMap((event) => wrap("      · ", event)),
  ]);
  return [`Segments: ${formatCount(segments.length)}`, ...lines];
}

function renderDrops({ drops }: DroppedHistory): readonly string[] {
  if (drops.length === 0) return [];
  const lines = drops.flatMap(({ ref, stub }) => wrap(`  ${ref}  `, stub ?? "left out"));
  return [`Dropped: ${formatCount(drops.length)}`, ...lines];
}

function renderRewrites(status: HistoryStatus, nowMs: number): readonly string[] {
  const { rewrites } = status;
  return [
    `Rewrites: ${formatCount(rewrites.length)}`,
    ...rewrites.flatMap((rewrite) => wrap("  · ", renderRewrite(rewrite, nowMs))),
    ...wrap("  ", renderTotals(status)),
  ];
}
