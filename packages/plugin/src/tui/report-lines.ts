// A report's text with its headings set off.
import { type Line, segment } from "./line.ts";

/**
 * Renders a report's text, as the commands write it, with its headings set off; the dialog has its own title.
 */
export function renderReportLines(text: string): readonly Line[] {
  const [first = "", ...rest] = text.replaceAll("\t", "    ").split(/\r?\n/);
  const said = first.replace(/^Session Runtime: /, "");
  const heading = said.startsWith("ses_") ? said : said.charAt(0).toUpperCase() + said.slice(1);
  const body = rest.filter((line) => !/^─+$/.test(line));
  return [[segment("muted", heading)], ...body.map(renderReportLine)];
}

function renderReportLine(line: string): Line {
  if (/^#{1,6} /.test(line)) return [segment("title", line)];
  if (line.startsWith("  ! ")) return [segment("warning", line)];
  const [, label, rest] = /^([A-Z][A-Za-z ]*?)( {2,}.*|$)/.exec(line) ?? [];
  if (label !== undefined) return [segment("title", label), segment("text", rest ?? "")];
  return [segment("text", line)];
}
