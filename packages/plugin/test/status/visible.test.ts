import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readStatus } from "../../src/status/model.ts";
import { renderStatus } from "../../src/status/render.ts";
import {
  makeJsonVisible,
  makeLinesVisible,
  makeStringsVisible,
  makeVisible,
} from "../../src/status/wording.ts";
import { segment, toPlainText } from "../../src/tui/line.ts";
import { renderReportLines } from "../../src/tui/report-lines.ts";
import { renderBottomLine, renderPanelLines } from "../../src/tui/view.ts";
import { type CALM, linked, NOW_MS, TROUBLED } from "../tui/panel-status.ts";
import {
  createLiveState,
  createStatusInput,
  createTurns,
  createUsage,
  ledger,
  minutesAgo,
} from "./records.ts";

const EVIL = "\x1b]0;owned\x07\x9b2J\x7f\u202e";
const SHOWN = String.raw`\x1b]0;owned\x07\x9b2J\x7f\u202e`;
const ACTING = /\p{Cc}|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** Code units up to 0x2100: all controls, half pairs left out. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0x2100 }), { maxLength: 40 })
  .map((codes) => String.fromCharCode(...codes));

describe("control characters", () => {
  test("are shown by their code within a line, and other texts stay as they are", () => {
    expect(makeVisible(`a${EVIL}b`)).toBe(`a${SHOWN}b`);
    expect(makeVisible("a\nb\tc\r")).toBe(String.raw`a\nb\tc\r`);
    const innocent = "Grüße, 世界 👩‍💻 – “x” \u00a0 é";
    expect(makeVisible(innocent)).toBe(innocent);
  });

  test("no text within a line keeps one; a text of lines keeps ends of lines and tabs", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const lines = makeLinesVisible(text).replace(/[\n\t]/g, "");
        expect([makeVisible(text), lines].filter((shown) => ACTING.test(shown))).toEqual([]);
      }),
    );
    expect(makeLinesVisible("a\r\nb\n\tc\rd\x1b")).toBe("a\nb\n\tc\\rd\\x1b");
  });

  test("in values go from every string and name; a field called text keeps its lines", () => {
    const value = { [`n${EVIL}`]: [`a${EVIL}`, 1, null, true], text: "a\nb\x1b", other: "a\nb" };
    expect(makeStringsVisible<unknown>(value)).toEqual({
      [`n${SHOWN}`]: [`a${SHOWN}`, 1, null, true],
      text: "a\nb\\x1b",
      other: "a\\nb",
    });
  });

  test("in JSON are escaped, and the value is the same", () => {
    fc.assert(
      fc.property(fc.jsonValue(), anyText, (value, text) => {
        const json = makeJsonVisible(JSON.stringify([value, text, EVIL], null, 2));
        expect(json.replaceAll("\n", "")).not.toMatch(ACTING);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify([value, text, EVIL])));
      }),
    );
  });
});

test("the report of a hostile session acts on no terminal", () => {
  const calls = [
    { epochSeq: 3, atMs: minutesAgo(3), usage: createUsage(1, 2, 3), bust: `b${EVIL}` },
  ];
  const epochs = ledger.epochs.map((epoch) => ({
    ...epoch,
    location: { directory: `/d${EVIL}`, worktree: "/" },
  }));
  const stored = createStatusInput({
    ledger: { ...ledger, epochs },
    turns: createTurns(calls, `m${EVIL}`),
  });
  const warnings = [
    { code: "x", severity: "warning", message: `m${EVIL}`, remedy: `r${EVIL}` },
  ] as const;
  const live = createLiveState({ warnings, rewriters: [`p${EVIL}`] });
  const report = renderStatus(readStatus(stored, live));
  expect(report.replaceAll("\n", "")).not.toMatch(ACTING);
  expect(report.split(String.raw`\x1b]0;owned\x07`).length).toBeGreaterThan(5);
});

test("nor do the panel, the line at the bottom and the dialogs", () => {
  const status = {
    ...TROUBLED,
    cache: { ...TROUBLED.cache, lastBust: { ...TROUBLED.cache.lastBust, cause: `c${EVIL}` } },
    lastUpdate: { atMs: NOW_MS, keys: [`k${EVIL}`] },
    storageFault: `The database ${EVIL} is locked.`,
  } as typeof CALM;
  const view = linked(status);
  const link = { kind: "unusable", reason: EVIL } as const;
  const lines = [
    ...renderPanelLines(view, NOW_MS, 80),
    ...renderPanelLines({ link, status: null }, NOW_MS, 80),
    renderBottomLine(view, NOW_MS, 200) ?? [],
    ...renderReportLines(
      `Session Runtime: ses_${EVIL}\n\nBrief  ${EVIL}\r\n\t! ${EVIL}\n# ${EVIL}`,
    ),
    [segment("error", EVIL)],
  ];
  for (const line of lines) expect(toPlainText(line)).not.toMatch(ACTING);
  expect(lines.map(toPlainText).join("")).toContain(SHOWN);
});
