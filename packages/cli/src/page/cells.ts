// The figures at the head of a page.

/** As HTML: what came from elsewhere has been escaped. */
export type Cell = readonly [name: string, value: string, note: string];

export function renderCells(cells: readonly Cell[]): string {
  const inner = cells.map(
    ([name, value, note]) => `<div><dt>${name}</dt><dd>${value}<small>${note}</small></dd></div>`,
  );
  return `<dl class="figures">${inner.join("\n")}</dl>`;
}
