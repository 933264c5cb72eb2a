import { expect, setDefaultTimeout, test } from "bun:test";
import { parseArguments } from "../src/demo/arguments.ts";
import { describeChart, renderChart } from "../src/demo/chart.ts";
import { failureText, parseStep } from "../src/demo/failure.ts";
import { chooseAccount } from "../src/demo/live/account.ts";
import { playLive } from "../src/demo/live/play.ts";
import { LIVE_STEPS } from "../src/demo/live/steps.ts";
import { playLong } from "../src/demo/long/play.ts";
import { renderPage } from "../src/demo/page/page.ts";
import { playBoth } from "../src/demo/play.ts";
import { billRatio, type DemoReport } from "../src/demo/report.ts";
import { showBars, showNotes, showTable } from "../src/demo/show.ts";
import { showDemo } from "../src/demo/show-demo.ts";
import { startProvider } from "../src/provider/server.ts";
import { SCENARIOS } from "../src/scenario/catalogue.ts";
import type { Scenario } from "../src/scenario/step.ts";
import { progressOn } from "../src/terminal/progress.ts";
import { styleFor } from "../src/terminal/style.ts";
import { parseReportData } from "./demo-page.ts";
import { longTest } from "./long.ts";

setDefaultTimeout(600_000);

const SHORT: Scenario = { ...SCENARIOS.edits, steps: SCENARIOS.edits.steps.slice(3, 6) };
const PLAIN = styleFor({}, {});

test("the demo plays a session on both hosts and shows it as table, bars and page", async () => {
  const lines: string[] = [];
  const report = await playBoth(SHORT, progressOn({ write: (text) => void lines.push(text) }));

  expect(lines).toHaveLength(2 * SHORT.steps.length);
  expect(lines.join("")).toContain("with Session Runtime 3/3  Turn 5");
  expect(billRatio(report.with)).toBeLessThan(billRatio(report.without));
  expect(report.status).toContain("Epoch");

  const shown = `${showTable(report, PLAIN)}\n${showBars(report, PLAIN, 100)}\n${showNotes(report)}`;
  expect(shown).not.toContain("\x1b");
  expect(shown).toContain("edit of AGENTS.md");
  expect(shown).toContain(Math.round(report.without.totals.bill).toLocaleString("en-US"));

  const demo = { day: report, long: null };
  expect(showDemo(demo, PLAIN, 100)).not.toContain("A long session");
  expect(showDemo(demo, PLAIN, 100)).toMatch(
    /^Bill: [\d,]+ tokens without Session Runtime, [\d,]+ with it: [\d.]+ % less\n/,
  );
  const page = await renderPage(demo);
  expect(parseReportData(page)).toEqual(demo);
  expect(page).toContain("<canvas");
  expect(page).not.toMatch(/(src|href)=/);
});

// Of what it is made, `bench-history.test.ts` has tests without a host; the short one is played in each run.
longTest(
  "its long session is played on both hosts: bills by turns, who still knew what was seen, and the status",
  async () => {
    const lines: string[] = [];
    const plan = { turns: 9, ages: [3, 5], perRow: 4 };
    const long = await playLong(plan, progressOn({ write: (text) => void lines.push(text) }));
    expect(lines).toHaveLength(2 * plan.turns);
    expect(lines.join("")).toContain("with Session Runtime 9/9  Turn 9 of 9");
    expect(long.labels).toEqual(["Turns 1 to 4", "Turns 5 to 8", "Turns 9 to 9"]);
    for (const side of [long.without, long.with]) {
      const sum = side.bills.reduce((all, bill) => all + bill, 0);
      expect(sum).toBeCloseTo(side.bill, 3);
      expect(side.fromContext + side.byLookUp).toBe(2);
      expect(side.peakTokens).toBeLessThan(long.windowTokens);
    }
    expect(long.without.byLookUp).toBe(0);
    // Whether the historian has run by then depends on the machine.
    expect(long.status).toContain("when older messages were");

    const report = { provider: "a mock", about: "a day", notes: [], steps: [], status: null };
    const day: DemoReport = {
      host: "OpenCode",
      ...report,
      without: NOTHING_BILLED,
      with: NOTHING_BILLED,
    };
    const shown = showDemo({ day, long }, PLAIN, 80);
    expect(shown).toContain("A long session");
    expect(shown).toMatch(/Questions answered right +2 of 2 +2 of 2/);
    expect(shown.match(/^Turns 1 to 4 +[\d,]+ +[\d,]+ /m)).not.toBeNull();
    expect(Math.max(...shown.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(100);
  },
);

const NOTHING_BILLED = { steps: [], totals: { bill: 1, ideal: 1 } };

test("the chart has a pair of columns for each billed step, with what happened before it", () => {
  const side = (bills: readonly number[], ideal: number) => ({
    steps: bills.map((bill) => ({ bill, promptTokens: bill, readTokens: 0 })),
    totals: { bill: bills.reduce((sum, bill) => sum + bill, 0), ideal },
  });
  const report: DemoReport = {
    host: "OpenCode",
    provider: "a mock",
    notes: [],
    about: "a short day: <one> edit",
    steps: [
      { label: "Turn 1: look" },
      { label: "edit of AGENTS.md" },
      { label: "Turn 2: look (plan mode)" },
    ],
    without: side([10_000, 0, 12_000], 11_000),
    with: side([10_000, 0, 1_000], 11_000),
    status: null,
  };
  const chart = renderChart(report);
  const shown = [...chart.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
  expect(shown).toEqual([
    "One day's work, billed turn by turn: 50.0 % less",
    "OpenCode alone: 22,000",
    "with Session Runtime: 11,000",
    "in uncached input tokens",
    ...["10.0k", "10.0k", "Turn 1"],
    ...["12.0k", "1.0k", "Turn 2", "edit of", "AGENTS.md", "plan mode"],
  ]);
  expect(chart.match(/<rect class="(?:without|with)" [^>]* height="190.0"/g)).toHaveLength(1);
  expect(describeChart(report)).toContain("22,000 tokens of input without the plugin and 11,000");
});

test("--live sends the key to the provider and counts by the provider's own figures", async () => {
  const provider = await startProvider();
  try {
    const env = { ANTHROPIC_API_KEY: "key-of-the-test", ANTHROPIC_BASE_URL: `${provider.url}/v1` };
    const account = chooseAccount(env, null);
    if (!account) throw new Error("No account was chosen");
    const report = await playLive(
      account,
      LIVE_STEPS.slice(1, 4),
      progressOn({ write: () => undefined }),
    );

    const main = provider.calls.filter(({ kind }) => kind === "main");
    expect(new Set(main.map(({ headers }) => headers["x-api-key"]))).toEqual(
      new Set(["key-of-the-test"]),
    );
    expect(new Set(main.map(({ model }) => model))).toEqual(new Set([account.model]));
    const sent = main.reduce(
      (sum, { outcome }) =>
        outcome.type === "answered" ? sum + outcome.usage.readTokens : Number.NaN,
      0,
    );
    const read = [report.without, report.with].flatMap(({ steps }) =>
      steps.map(({ readTokens }) => readTokens),
    );
    expect(read.reduce((sum, tokens) => sum + tokens, 0)).toBe(sent);
    expect(report.with.totals.bill).toBeLessThan(report.without.totals.bill);
  } finally {
    await provider.stop();
  }
});

test("--live without a key finds no account; with OpenAI's key it is OpenAI's", () => {
  expect(chooseAccount({}, null)).toBeNull();
  expect(chooseAccount({ OPENAI_API_KEY: "key" }, "gpt-mine")).toMatchObject({
    providerID: "openai",
    model: "gpt-mine",
    caching: "automatic",
  });
});

test("options are read, and what is unknown is named", () => {
  expect(parseArguments([])).toEqual({
    kind: "scripted",
    out: ".tmp/demo.html",
    afterwards: "stay",
  });
  expect(parseArguments(["--live", "--out", "x.html"])).toEqual({
    kind: "live",
    out: "x.html",
    afterwards: "stay",
    model: null,
  });
  expect(parseArguments(["--help"])).toEqual({ kind: "help" });
  expect(parseArguments(["pi", "--out", "x.html"])).toEqual({
    kind: "pi",
    out: "x.html",
    afterwards: "stay",
  });
  expect(parseArguments(["long", "--open"])).toMatchObject({ kind: "long", afterwards: "open" });
  expect(parseArguments(["pi", "--live"])).toMatchObject({ kind: "wrong" });
  expect(parseArguments(["--loud"])).toEqual({ kind: "wrong", reason: "unknown option --loud" });
  expect(parseArguments(["--out"])).toEqual({ kind: "wrong", reason: "--out wants a value" });
});

test("progress is one rewritten line on a terminal and a line a step on a pipe", () => {
  const shown = (sink: { isTTY?: boolean; columns?: number }) => {
    const chunks: string[] = [];
    const progress = progressOn({ ...sink, write: (chunk) => void chunks.push(chunk) });
    progress.update("1 of 2, in short", "one");
    progress.update("2 of 2, in short", "two");
    progress.end();
    return chunks.join("");
  };
  expect(shown({})).toBe("one\ntwo\n");
  expect(shown({ isTTY: true, columns: 7 })).toBe("\r\x1b[2K1 of 2\r\x1b[2K2 of 2\r\x1b[2K");
});

test("a failure names the step and what to do, and shows no source", () => {
  const error = new Error("listen EADDRINUSE: 127.0.0.1:4096\n    at serve (host.ts:3:1)");
  expect(failureText(error, "without 3/9  Turn 2")).toBe(
    "The demo failed at: without 3/9  Turn 2\n  listen EADDRINUSE: 127.0.0.1:4096\n  Another program has the port: end it, or try again.",
  );
  expect(failureText("odd", "the start")).toContain("Try again; if it fails again");
  expect(parseStep("\r\x1b[2Kwith 1/2  Turn 1\n")).toBe("with 1/2  Turn 1");
  expect(parseStep("\r\x1b[2K")).toBeNull();
});

test("colours are for terminals, and NO_COLOR turns them off", () => {
  expect(styleFor({ isTTY: true }, {}).bold("x")).toBe("\x1b[1mx\x1b[22m");
  expect(styleFor({ isTTY: true }, { NO_COLOR: "1" }).bold("x")).toBe("x");
  expect(styleFor({}, {}).bold("x")).toBe("x");
});
