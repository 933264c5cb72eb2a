import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { renderPage } from "../../src/demo/page/page.ts";
import { PI_DAY } from "../../src/demo/pi/day.ts";
import { buildReport, playOnPi } from "../../src/demo/pi/play.ts";
import { showDemo } from "../../src/demo/show-demo.ts";
import { missingPi } from "../../src/pi/pi.ts";
import { type CallRecord, rejections } from "../../src/provider/record.ts";
import { progressOn } from "../../src/terminal/progress.ts";
import { styleFor } from "../../src/terminal/style.ts";
import { parseReportData } from "../demo-page.ts";

setDefaultTimeout(600_000);

/** Two turns, an edit, a turn, an edit with a restart, a turn. */
const SHORT = { ...PI_DAY, steps: PI_DAY.steps.slice(0, 7) };

/** By the provider's own count of each request, at Anthropic's prices. */
function billOnTheWire(calls: readonly CallRecord[]): number {
  return calls.reduce((sum, { outcome }) => {
    if (outcome.type !== "answered") throw new Error(`A call was ${outcome.type}`);
    const { inputTokens, writeTokens, readTokens } = outcome.usage;
    return sum + inputTokens + 1.25 * writeTokens + 0.1 * readTokens;
  }, 0);
}

const shownAs = (tokens: number) => Math.round(tokens).toLocaleString("en-US");

describe.skipIf(missingPi !== null)(missingPi ?? "npm run demo -- pi", () => {
  test("the demo plays a day on the real Pi, stock and with the extension, says each step, and shows what the provider billed", async () => {
    const lines: string[] = [];
    const played = await playOnPi(SHORT, progressOn({ write: (text) => void lines.push(text) }));
    expect(lines).toHaveLength(2 * SHORT.steps.length);
    expect(lines.join("")).toContain("with Session Runtime 6/7  restart of Pi");

    const report = buildReport(SHORT, played);
    const demo = { day: report, long: null };
    const shown = showDemo(demo, styleFor({}, {}), 100);
    const sides = [played.without, played.with];
    for (const { calls, steps } of sides) {
      expect(rejections(calls)).toEqual([]);
      expect(steps.flat()).toEqual([...calls]);
      // A turn is a call that reads a file and one that answers.
      expect(steps.map((sent) => sent.length)).toEqual([2, 2, 0, 2, 0, 0, 2]);
    }
    const totals = sides.map(({ calls }) => shownAs(billOnTheWire(calls)));
    expect(shown).toMatch(new RegExp(`Total +${totals.join(" +")} `));
    const fourth = sides.map(({ steps }) => shownAs(billOnTheWire(steps[6] ?? [])));
    expect(shown).toMatch(new RegExp(`Turn 4: look at part 4 +${fourth.join(" +")} `));
    expect(report.with.totals.bill).toBeLessThan(report.without.totals.bill);

    // Stock Pi learns of an edit only by a restart.
    const third = sides.map(({ steps }) => JSON.stringify(steps[3]?.[0]?.body));
    expect(third.map((body) => body.includes("Since edit 1"))).toEqual([false, true]);
    expect(shown).toContain("knew of at its next call: 1 of 2 without, 2 of 2 with.");
    expect(shown).toContain("core/instructions");

    const page = await renderPage(demo);
    expect(parseReportData(page)).toEqual(demo);
    expect(page).toContain("One scripted session on the real Pi, played twice");
    expect(page).not.toContain("OpenCode");
  });
});
