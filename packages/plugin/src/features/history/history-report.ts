// Renders the report of /ctx-history: the folded history as the model has it, what was dropped, and when.

import type { FeatureContext } from "../../feature-api/feature-context.ts";
import type { FindSegment } from "../../feature-api/finders.ts";
import type { HistorySettings } from "../../history/settings.ts";
import { computeTail } from "../../history/tail.ts";
import type { ReadWrittenSegments } from "../../history/written.ts";
import type { NextCall } from "../../ledger/boundary-view.ts";
import type { Ref } from "../../ledger/ref.ts";
import { faultFields } from "../../log/fault.ts";
import type { CommandReport, ReportDeps } from "../../status/report.ts";
import { count, counted, wrap } from "../../status/wording.ts";
import type { SessionId } from "../../storage/records.ts";
import { type DroppedHistory, droppedHistoryReader } from "./dropped-history.ts";
import { historyReader } from "./read-history.ts";
import type { HistoryStatus } from "./rewrite-status.ts";
import { type ShownSegment, segmentsIn, withTiers } from "./segments.ts";
import { droppedLine, rewriteLine, sumLine, type TailReport, tailLine } from "./wording.ts";

interface ReportContext extends Pick<FeatureContext, "nextCall" | "log"> {
  readonly written: ReadWrittenSegments;
  readonly findSegment: FindSegment;
}

export async function historyReport(
  context: ReportContext,
  settings: HistorySettings,
  { sessionId, nowMs, database, shown }: ReportDeps,
): Promise<CommandReport> {
  const { store } = database();
  const status = store(historyReader)(sessionId, shown);
  const gone = store(droppedHistoryReader)(sessionId, shown);
  const next = await tryNextCall(context, sessionId);
  const messages = next?.messages ?? [];
  const found = gone.folds.flatMap(({ text }) => segmentsIn(text));
  const tiered = withTiers(found, messages, context.written(messages));
  const segments = await Promise.all(
    tiered.map(async (segment) => {
      const written = await context.findSegment(sessionId, segment.ref as Ref);
      return { ...segment, events: written?.events ?? [] };
    }),
  );
  const tail = next ? shownTail(next, settings) : (status?.rewrites.at(-1) ?? null);
  const summary = (status && droppedLine(status)) ?? NOTHING_DROPPED;
  return {
    text: renderHistory({ status, dropped: gone, segments, tail }, sessionId, nowMs),
    summary,
  };
}

/** If the host can't list the session, the report is made without tiers and tail. */
async function tryNextCall(
  { nextCall, log }: ReportContext,
  sessionId: SessionId,
): Promise<NextCall | null> {
  try {
    return await nextCall(sessionId);
  } catch (error) {
    log.warn("history.next_call", faultFields(error));
    return null;
  }
}

/** Computes the tail as the next call would. */
function shownTail(next: NextCall, settings: HistorySettings): TailReport {
  const { keepTokens, regret, spared } = computeTail(next, settings);
  return { keepTokens, regretTokens: Math.round(regret), sparedTokens: Math.round(spared) };
}

const NOTHING_DROPPED = "Nothing of this session is folded or dropped: the model has all of it.";

interface ShownHistory {
  /** It is null if nothing was ever rewritten. */
  readonly status: HistoryStatus | null;
  readonly dropped: DroppedHistory;
  readonly segments: readonly ShownSegment[];
  /** It is null if it is not known. */
  readonly tail: TailReport | null;
}

/** Renders for a terminal of 80 columns; only the folded history's own lines may be longer. */
export function renderHistory(
  { status, dropped, segments, tail }: ShownHistory,
  sessionId: string,
  nowMs: number,
): string {
  const title = `Session Runtime: history of ${sessionId}`;
  const sections: readonly (readonly string[])[] = [
    [title, "─".repeat(title.length)],
    wrap("", (status && droppedLine(status)) ?? NOTHING_DROPPED),
    tail ? wrap("", tailLine(tail)) : [],
    segmentLines(segments),
    dropLines(dropped),
    status ? rewriteLines(status, nowMs) : [],
    ...dropped.folds.map(({ text }) => ["As the model sees it", "", ...text.split("\n")]),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

function segmentLines(segments: readonly ShownSegment[]): readonly string[] {
  if (segments.length === 0) return [];
  const lines = segments.flatMap(({ ref, messages, kind, tier, events }) => [
    [`  ${ref}`, counted(messages, "message").padEnd(13), (kind ?? "").padEnd(9), tier ?? ""]
      .join("  ")
      .trimEnd(),
    ...events.flatMap((event) => wrap("      · ", event)),
  ]);
  return [`Segments: ${count(segments.length)}`, ...lines];
}

function dropLines({ drops }: DroppedHistory): readonly string[] {
  if (drops.length === 0) return [];
  const lines = drops.flatMap(({ ref, stub }) => wrap(`  ${ref}  `, stub ?? "left out"));
  return [`Dropped: ${count(drops.length)}`, ...lines];
}

function rewriteLines(status: HistoryStatus, nowMs: number): readonly string[] {
  const { rewrites } = status;
  return [
    `Rewrites: ${count(rewrites.length)}`,
    ...rewrites.flatMap((rewrite) => wrap("  · ", rewriteLine(rewrite, nowMs))),
    ...wrap("  ", sumLine(status)),
  ];
}
