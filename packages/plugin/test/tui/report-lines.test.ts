import { expect, test } from "bun:test";
import { toPlainText } from "../../src/tui/line.ts";
import { renderReportLines } from "../../src/tui/report-lines.ts";

const REPORT = `Session Runtime: ses_one
────────────────────────
Epoch       1 (the first), began just now

Sources
  core/date  current      sent once

Warnings
  ! It is listed twice.`;

test("a report loses nothing but the title, which the dialog has, and the rule below it", () => {
  expect(renderReportLines(REPORT).map(toPlainText)).toEqual([
    "ses_one",
    "Epoch       1 (the first), began just now",
    "",
    "Sources",
    "  core/date  current      sent once",
    "",
    "Warnings",
    "  ! It is listed twice.",
  ]);
});

test("labels and headings stand out, warnings are warnings", () => {
  const tones = renderReportLines(REPORT).map((line) => line.map(({ tone }) => tone).join("+"));
  expect(tones).toEqual([
    "muted",
    "title+text",
    "text",
    "title+text",
    "text",
    "text",
    "title+text",
    "warning",
  ]);
});

test("a brief's headings stand out", () => {
  const [, , heading] = renderReportLines(
    "Session Runtime: a compaction\n\n## Next Action\n- Go on",
  );
  expect(heading).toEqual([{ tone: "title", text: "## Next Action" }]);
});

test("a line that only ends in a rule is part of the report", () => {
  expect(renderReportLines("T\nShare ───\n─── of it").map(toPlainText)).toEqual([
    ...["T", "Share ───", "─── of it"],
  ]);
});
