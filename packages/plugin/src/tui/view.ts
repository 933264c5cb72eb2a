// Renders the panel and the status line; pure.
import {
  formatDollars,
  formatHostName,
  type MoneyStatus,
  renderSavedPhrase,
  shouldCompareWithHost,
} from "../status/money.ts";
import type { PanelStatus } from "../status/panel.ts";
import {
  cutText,
  formatAgo,
  renderCount,
  renderPercent,
  renderSparkline,
} from "../status/wording.ts";
import { formatShortCount, renderLayerBar, renderLayerLegend, sumTokens } from "./layer-bar.ts";
import { type Line, measureLineWidth, type Segment, segment } from "./line.ts";

/** The state of the link to the server that a terminal UI is attached to. */
export type LinkState =
  /** Nobody has answered yet, and it is too early to say that nobody will. */
  | { readonly kind: "searching" }
  /** The server's plugin does not answer: it is missing, or its version has no channel. */
  | { readonly kind: "absent" }
  /** The server answers, but its address is not on this machine. */
  | { readonly kind: "elsewhere" }
  | { readonly kind: "unusable"; readonly reason: string }
  | { readonly kind: "linked" }
  /** The server was there, and is searched for again. */
  | { readonly kind: "lost" };

/** The state that the view is made of; `status` is the last known one, even while the link is down. */
export interface ViewState {
  readonly link: LinkState;
  readonly status: PanelStatus | null;
}

/** How long a lost cache stays in view. */
const BUST_DISPLAY_MS = 30 * 60_000;

/**
 * Renders the sidebar's panel; empty while nothing is known yet, so that nothing flashes up and disappears.
 */
export function renderPanelLines(
  { link, status }: ViewState,
  nowMs: number,
  width: number,
): readonly Line[] {
  const trouble = describeLinkTrouble(link);
  if (!status && trouble === null) return [];
  return [
    [segment("title", "Session Runtime")],
    ...(status ? renderStatusLines(status, nowMs, width) : []),
    ...(trouble === null ? [] : [[segment("muted", trouble)]]),
  ];
}

/** Describes why there is no status; null if nothing is wrong, or if nothing is known yet. */
export function describeLinkTrouble(link: LinkState): string | null {
  switch (link.kind) {
    case "searching":
    case "linked":
      return null;
    case "absent":
      return "Not available on this server: its plugin is missing, turned off or older.";
    case "elsewhere":
      return "The server runs on another machine, which this panel can't read. /ctx-status and the other commands work.";
    case "unusable":
      return `The server can't be read: ${link.reason}. /ctx-status and the other commands work.`;
    case "lost":
      return "The server does not answer; looking for it again.";
  }
}

function renderStatusLines(status: PanelStatus, nowMs: number, width: number): readonly Line[] {
  return [
    ...renderActionLines(status, nowMs, width),
    ...renderMoneyLines(status.cache.money, formatHostName(status.harness)),
    ...renderCacheLines(status),
    ...renderContextLines(status, width),
    ...renderQueueLines(status),
    ...status.sections.map((text) => [segment("text", cutText(text, width))]),
    ...status.marks.map(({ word, atMs }) => renderMarkLine(word, atMs, nowMs)),
    ...renderUpdateLines(status, nowMs, width),
  ];
}

/** Describes the last automatic change of the context, with the glyph of folded history. */
function renderMarkLine(word: string, atMs: number, nowMs: number): Line {
  return [segment("history", "▚ "), segment("muted", `${word} ${formatAgo(atMs, nowMs)}`)];
}

function renderContextLines({ layers }: PanelStatus, width: number): readonly Line[] {
  if (layers.length === 0) return [];
  return [renderLayerBar(layers, width), ...renderLayerLegend(layers)];
}

function renderCacheLines({ cache }: PanelStatus): readonly Line[] {
  if (cache.calls === 0) return [[segment("muted", "No call yet")]];
  const { paidUsd, sparedTokens } = cache.money;
  const kept = `Cache kept for ${formatShortCount(sparedTokens)} tokens`;
  return [
    [
      segment("muted", "Cache "),
      segment("text", `${renderPercent(cache.hitRate)} `),
      segment("good", renderSparkline(cache.recentRates)),
    ],
    ...(paidUsd === null && sparedTokens > 0 ? [[segment("muted", kept)]] : []),
  ];
}

/** Renders the money; empty if the host has no price. */
function renderMoneyLines(money: MoneyStatus, host: string): readonly Line[] {
  const { paidUsd, savedUsd, sparedTokens } = money;
  if (paidUsd === null || savedUsd === null) return [];
  const paid = [segment("muted", "Paid "), segment("text", formatDollars(paidUsd))];
  if (sparedTokens === 0 || !shouldCompareWithHost(money, host)) return [paid];
  return [paid, [segment("good", capitalize(renderSavedPhrase(savedUsd, "vs", host)))]];
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function renderUpdateLines(
  { lastUpdate }: PanelStatus,
  nowMs: number,
  width: number,
): readonly Line[] {
  if (!lastUpdate) return [];
  const updated = `Updated ${formatAgo(lastUpdate.atMs, nowMs)}: ${lastUpdate.keys.join(", ")}`;
  return [[segment("muted", cutText(updated, width))]];
}

function renderQueueLines({ inbox }: PanelStatus): readonly Line[] {
  const waiting = inbox?.waiting ?? 0;
  return waiting === 0 ? [] : [[segment("text", `${renderCount(waiting, "prompt")} queued`)]];
}

/** Describes prompts that nothing answers until the user acts; null if there are none. */
function describeStrandedPrompts({ inbox, notice }: PanelStatus): string | null {
  if (!inbox) return null;
  const { waiting, unread, unanswered, refused } = inbox;
  const open = [
    ...(unread + unanswered > 0 ? [`${unread + unanswered} unanswered`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(notice !== null && waiting > 0 ? [`${waiting} held`] : []),
  ];
  return open.length === 0 ? null : `${open.join(", ")}: /ctx-resume`;
}

/** The most rows that a warning's own text may take; /ctx-status has all of it. */
const MAX_WARNING_ROWS = 3;

function renderActionLines(status: PanelStatus, nowMs: number, width: number): readonly Line[] {
  const { warnings, storageFault } = status;
  const stranded = describeStrandedPrompts(status);
  const maxWidth = width * MAX_WARNING_ROWS;
  const bust = findShownBust(status, nowMs);
  const lost = bust ? `! Cache lost ${formatAgo(bust.sentAtMs, nowMs)}: ${bust.cause}` : null;
  const count = `! ${renderCount(warnings.length, "warning")}: see /ctx-status`;
  return [
    ...(stranded === null ? [] : [[segment("warning", cutText(`! ${stranded}`, maxWidth))]]),
    ...(lost === null ? [] : [[segment("warning", cutText(lost, maxWidth))]]),
    ...(storageFault === null ? [] : [[segment("error", cutText(`! ${storageFault}`, maxWidth))]]),
    ...(warnings.length === 0 ? [] : [[segment("warning", count)]]),
  ];
}

function findShownBust({ cache }: PanelStatus, nowMs: number) {
  const { lastBust } = cache;
  if (!lastBust || lastBust.confirmation === "denied" || lastBust.nature === "expected")
    return null;
  return nowMs - lastBust.sentAtMs < BUST_DISPLAY_MS ? lastBust : null;
}

/** The bar's columns in the bottom line. */
const SHORT_BAR_COLUMNS = 10;
const SHORT_HISTORY_COLUMNS = 8;

interface BottomLineItem {
  readonly line: Line;
  /** The item with the highest number is left out first if space is short. */
  readonly dispensable: number;
}

/** Renders the bottom line, for a screen without a sidebar; null if there is nothing to say. */
export function renderBottomLine(
  { link, status }: ViewState,
  nowMs: number,
  width: number,
): Line | null {
  const trouble = describeLinkTrouble(link);
  if (trouble !== null && !status) {
    return [segment("muted", cutText(` Session Runtime: ${trouble}`, width))];
  }
  if (!status) return null;
  const items = pickFitting(listItems(status, nowMs, link), width - 1);
  return [segment("text", " "), ...joinLines(items.map(({ line }) => line))];
}

function listItems(status: PanelStatus, nowMs: number, link: LinkState): readonly BottomLineItem[] {
  const { layers, cache, inbox, lastUpdate, marks, warnings, storageFault } = status;
  const total = formatShortCount(sumTokens(layers));
  const stranded = describeStrandedPrompts(status);
  const money = renderMoneyItem(cache.money);
  const alarms = [
    ...(stranded === null ? [] : [stranded]),
    ...(link.kind === "lost" ? ["server gone"] : []),
    ...(findShownBust(status, nowMs) ? ["cache lost"] : []),
    ...(storageFault === null ? [] : ["database unreadable"]),
    ...(warnings.length > 0 ? [renderCount(warnings.length, "warning")] : []),
  ];
  const items: readonly (BottomLineItem | null)[] = [
    alarms.length > 0 ? createItem(0, [segment("warning", `! ${alarms.join(", ")}`)]) : null,
    money === null ? null : createItem(1, [segment("text", money)]),
    cache.calls > 0 ? createItem(0, renderCacheItem(status)) : null,
    layers.length > 0
      ? createItem(3, [...renderLayerBar(layers, SHORT_BAR_COLUMNS), segment("text", ` ${total}`)])
      : null,
    inbox && inbox.waiting > 0 ? createItem(2, [segment("text", `${inbox.waiting} queued`)]) : null,
    lastUpdate
      ? createItem(5, [segment("muted", `updated ${formatAgo(lastUpdate.atMs, nowMs)}`)])
      : null,
    ...marks.map(({ word, atMs }) =>
      createItem(6, [segment("muted", `${word} ${formatAgo(atMs, nowMs)}`)]),
    ),
  ];
  return items.flatMap((each) => (each ? [each] : []));
}

function createItem(dispensable: number, line: Line): BottomLineItem {
  return { dispensable, line };
}

function renderMoneyItem({ paidUsd, savedUsd, sparedTokens }: MoneyStatus): string | null {
  if (paidUsd === null || savedUsd === null) return null;
  const saved = sparedTokens > 0 && savedUsd > 0 ? `, saved ${formatDollars(savedUsd)}` : "";
  return `paid ${formatDollars(paidUsd)}${saved}`;
}

function renderCacheItem({ cache }: PanelStatus): Line {
  return [
    segment("muted", "cache "),
    segment("text", `${renderPercent(cache.hitRate)} `),
    segment("good", renderSparkline(cache.recentRates.slice(-SHORT_HISTORY_COLUMNS))),
  ];
}

function pickFitting(items: readonly BottomLineItem[], width: number): readonly BottomLineItem[] {
  if (items.length <= 1 || measureLineWidth(joinLines(items.map(({ line }) => line))) <= width)
    return items;
  const worst = Math.max(...items.map(({ dispensable }) => dispensable));
  const last = items.findLastIndex(({ dispensable }) => dispensable === worst);
  return pickFitting(items.toSpliced(last, 1), width);
}

function joinLines(lines: readonly Line[]): Line {
  return lines.flatMap((line, index): readonly Segment[] =>
    index === 0 ? line : [segment("muted", " · "), ...line],
  );
}
