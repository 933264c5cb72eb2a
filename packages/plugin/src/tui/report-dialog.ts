// A report as a dialog that scrolls.
import type { TuiPluginApi } from "@opencode-ai/plugin/tui";
import { type BoxRenderable, ScrollBoxRenderable, TextRenderable } from "@opentui/core";
import { useTerminalDimensions } from "@opentui/solid";
import { createEffect, createSignal, onCleanup } from "solid-js";
import {
  computeDialogRows,
  createDialogBox,
  createLineText,
  renderKeysLine,
  toErrorMessage,
} from "./dialog.ts";
import { type Line, measureLineWidth, segment } from "./line.ts";
import { paint } from "./paint.ts";
import { renderReportLines } from "./report-lines.ts";

/** The content of a dialog, whose lines may be loaded after it opens. */
export interface ReportContent {
  readonly title: string;
  readonly load: () => Promise<readonly Line[]>;
}

export function createReportContent(title: string, text: () => Promise<string>): ReportContent {
  return { title, load: async () => renderReportLines(await text()) };
}

export function openReport(api: TuiPluginApi, content: ReportContent): void {
  api.ui.dialog.replace(() => createReportDialog(api, content));
  api.ui.dialog.setSize("large");
}

const MIN_ROWS = 3;
/** The columns of the host's "large" dialog, and those that its margin and scroll bar take. */
const DIALOG_COLUMNS = 88;
const MARGIN_COLUMNS = 7;

/** Counts the rows of the wrapped lines. */
function countRows(lines: readonly Line[], columns: number): number {
  return lines.reduce(
    (sum, line) => sum + Math.max(1, Math.ceil(measureLineWidth(line) / columns)),
    0,
  );
}

const SCROLL_KEYS = [
  ["↑ ↓ PgUp PgDn", "scroll"],
  ["esc", "close"],
] as const;

function createReportDialog(api: TuiPluginApi, { title, load }: ReportContent): BoxRenderable {
  const { renderer } = api;
  const [lines, setLines] = createSignal<readonly Line[]>([[segment("muted", "Reading …")]]);
  load()
    .then(setLines)
    .catch((error: unknown) =>
      setLines([[segment("error", `The report can't be read: ${toErrorMessage(error)}.`)]]),
    );
  const terminal = useTerminalDimensions();
  const scroll = new ScrollBoxRenderable(renderer, { scrollY: true });
  const text = new TextRenderable(renderer, { wrapMode: "word" });
  scroll.add(text);
  createEffect(() => {
    text.content = paint(lines(), api.theme.current);
    const rows = countRows(lines(), Math.min(DIALOG_COLUMNS, terminal().width) - MARGIN_COLUMNS);
    scroll.height = Math.max(MIN_ROWS, Math.min(rows, computeDialogRows(terminal().height)));
  });
  onCleanup(scrollByKeys(api, scroll));
  return createDialogBox(api, [
    createLineText(api, () => [segment("title", title)]),
    scroll,
    createLineText(api, () => renderKeysLine(SCROLL_KEYS)),
  ]);
}

/** Lets keys scroll the report; returns a function that removes the keys again. */
function scrollByKeys(api: TuiPluginApi, scroll: ScrollBoxRenderable): () => void {
  const countPageRows = () => Math.max(1, scroll.viewport.height - 1);
  const moves: Readonly<Record<string, () => void>> = {
    up: () => scroll.scrollBy(-1),
    down: () => scroll.scrollBy(1),
    pageup: () => scroll.scrollBy(-countPageRows()),
    pagedown: () => scroll.scrollBy(countPageRows()),
    home: () => scroll.scrollTo(0),
    end: () => scroll.scrollTo(scroll.scrollHeight),
  };
  return api.keymap.registerLayer({
    mode: "modal",
    bindings: Object.entries(moves).map(([key, cmd]) => ({ key, cmd })),
  });
}
