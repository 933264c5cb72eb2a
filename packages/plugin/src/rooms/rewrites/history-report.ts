// The report of /ctx-history: the folded history as the model has it, what was dropped, and when.
import type { FindSegment } from "../../features/finders.ts";
import type { House } from "../../features/house.ts";
import type { HistorySettings } from "../../history/settings.ts";
import { tailOf } from "../../history/tail.ts";
import type { ReadWritten } from "../../history/written.ts";
import { faultFields } from "../../log/fault.ts";
import type { NextCall } from "../../policies/view.ts";
import type { Ref } from "../../projection/ref.ts";
import type { CommandReport, ReportDeps } from "../../status/report.ts";
import { count, counted, wrap } from "../../status/wording.ts";
import type { SessionId } from "../../storage/records.ts";
import { type GoneHistory, goneReader } from "./gone.ts";
import { historyReader } from "./read-history.ts";
import type { HistoryStatus } from "./reading.ts";
import { type ShownSegment, segmentsIn, withTiers } from "./segments.ts";
import { goneLine, rewriteLine, type ShownTail, sumLine, tailLine } from "./words.ts";

interface ReportHouse extends Pick<House, "nextCall" | "log"> {
  readonly written: ReadWritten;
  readonly findSegment: FindSegment;
}

export async function historyReport(
  house: ReportHouse,
  settings: HistorySettings,
  { sessionId, nowMs, database, shown }: ReportDeps,
): Promise<CommandReport> {
  const { store } = database();
  const status = store(historyReader)(sessionId, shown);
  const gone = store(goneReader)(sessionId, shown);
  const next = await nextOf(house, sessionId);
  const messages = next?.messages ?? [];
  const found = gone.folds.flatMap(({ text }) => segmentsIn(text));
  const tiered = withTiers(found, messages, house.written(messages));
  const segments = await Promise.all(
    tiered.map(async (segment) => {
      const written = await house.findSegment(sessionId, segment.ref as Ref);
      return { ...segment, events: written?.events ?? [] };
    }),
  );
  const tail = next ? shownTail(next, settings) : (status?.rewrites.at(-1) ?? null);
  const summary = (status && goneLine(status)) ?? NOTHING_GONE;
  return { text: renderHistory({ status, gone, segments, tail }, sessionId, nowMs), summary };
}

/** A host that can't list the session costs the tiers and the tail, and not the report. */
async function nextOf(
  { nextCall, log }: ReportHouse,
  sessionId: SessionId,
): Promise<NextCall | null> {
  try {
    return await nextCall(sessionId);
  } catch (error) {
    log.warn("history.next_call", faultFields(error));
    return null;
  }
}

/** As the next call would find it. */
function shownTail(next: NextCall, settings: HistorySettings): ShownTail {
  const { keepTokens, regret, spared } = tailOf(next, settings);
  return { keepTokens, regretTokens: Math.round(regret), sparedTokens: Math.round(spared) };
}

const NOTHING_GONE = "Nothing of this session is folded or dropped: the model has all of it.";

interface ShownHistory {
  /** Null where nothing was ever rewritten. */
  readonly status: HistoryStatus | null;
  readonly gone: GoneHistory;
  readonly segments: readonly ShownSegment[];
  /** Null where it is not known. */
  readonly tail: ShownTail | null;
}

/** For a terminal of 80 columns, but for the folded history's own lines. */
export function renderHistory(
  { status, gone, segments, tail }: ShownHistory,
  sessionId: string,
  nowMs: number,
): string {
  const title = `Session Runtime: history of ${sessionId}`;
  const sections: readonly (readonly string[])[] = [
    [title, "─".repeat(title.length)],
    wrap("", (status && goneLine(status)) ?? NOTHING_GONE),
    tail ? wrap("", tailLine(tail)) : [],
    segmentLines(segments),
    dropLines(gone),
    status ? rewriteLines(status, nowMs) : [],
    ...gone.folds.map(({ text }) => ["As the model has it", "", ...text.split("\n")]),
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

function dropLines({ drops }: GoneHistory): readonly string[] {
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
