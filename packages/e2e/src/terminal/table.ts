// Tables for the terminal and in Markdown.

type Alignment = "left" | "right";

export interface Column {
  readonly title: string;
  readonly align: Alignment;
}

/** `"rule"` stands for a line across the table. */
export type Row = readonly string[] | "rule";

const GAP = "  ";

/** Cells may carry colours: they take no room. */
export function renderTable(columns: readonly Column[], rows: readonly Row[]): string {
  const titles = columns.map(({ title }) => title);
  const cells = [titles, ...rows.filter((row) => row !== "rule")];
  const widths = columns.map((_, index) =>
    Math.max(...cells.map((row) => Bun.stringWidth(row[index] ?? ""))),
  );
  const rule = "─".repeat(widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length));
  const line = (row: readonly string[]) =>
    columns
      .map(({ align }, index) => pad(row[index] ?? "", widths[index] ?? 0, align))
      .join(GAP)
      .trimEnd();
  return [titles, "rule" as const, ...rows]
    .map((row) => (row === "rule" ? rule : line(row)))
    .join("\n");
}

function pad(text: string, width: number, align: Alignment): string {
  const room = " ".repeat(Math.max(0, width - Bun.stringWidth(text)));
  return align === "left" ? text + room : room + text;
}

/** The same as Markdown. */
export function markdownTable(columns: readonly Column[], rows: readonly (readonly string[])[]) {
  const rule = columns.map(({ align }) => (align === "left" ? "---" : "---:"));
  return [columns.map(({ title }) => title), rule, ...rows]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n");
}
