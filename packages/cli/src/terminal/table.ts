// Renders tables.
import stringWidth from "fast-string-width";

export interface Column {
  readonly title: string;
  readonly align: "left" | "right";
}

const GAP = "  ";

/** Renders a table. Colours in cells take no width. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string {
  const titles = columns.map(({ title }) => title);
  const widths = columns.map((_, index) =>
    Math.max(...[titles, ...rows].map((row) => stringWidth(row[index] ?? ""))),
  );
  const rule = widths.map((width) => "─".repeat(width));
  return [titles, rule, ...rows]
    .map((row) =>
      columns
        .map(({ align }, index) => pad(row[index] ?? "", widths[index] ?? 0, align))
        .join(GAP)
        .trimEnd(),
    )
    .join("\n");
}

function pad(text: string, width: number, align: Column["align"]): string {
  const padding = " ".repeat(Math.max(0, width - stringWidth(text)));
  return align === "left" ? text + padding : padding + text;
}
