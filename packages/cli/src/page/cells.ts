// Renders the figures at the head of a page.
import { html, type Markup } from "./markup.ts";

export type Cell = readonly [name: string, value: string, note: string];

export function renderCells(cells: readonly Cell[]): Markup {
  const inner = cells.map(
    ([name, value, note]) =>
      html`<div><dt>${name}</dt><dd>${value}<small>${note}</small></dd></div>`,
  );
  return html`<dl class="figures">${inner}</dl>`;
}
