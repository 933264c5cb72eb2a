import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { missingTool, systemTool } from "../../../../scripts/system-tools.mjs";
import {
  NOTHING,
  overviewOf,
  type StoredSession,
} from "../../../plugin/test/storage/overview-of.ts";
import {
  cost,
  entryRecord,
  epochRecord,
  turnRecord,
  usage,
} from "../../../plugin/test/storage/records.ts";
import { PLAIN } from "../../src/terminal/style.ts";
import { billOf, ratesOf } from "../../src/timeline/bill.ts";
import { type Timeline, timelineOf } from "../../src/timeline/model.ts";
import { renderTimelinePage } from "../../src/timeline/page/page.ts";
import { renderTimeline } from "../../src/timeline/render-text.ts";
import { DataFolders, first, storeSession } from "./data-folder.ts";
import { background, contentWidth, pixelsOf } from "./page-probes.js";

setDefaultTimeout(120_000);
const folders = new DataFolders();
const HOUR_MS = 3_600_000;

/** Two epochs, an update at the second call, a bust at the third. */
function sample(hostile = ""): StoredSession {
  const startMs = Date.UTC(2026, 2, 1, 12);
  const calls = [0, 1, 2].map((index) => ({
    ...turnRecord(startMs + index * HOUR_MS, index < 2 ? 1 : 3),
    seq: index + 1,
    usage: index === 1 ? null : usage,
    cost: index === 1 ? null : cost,
    bust: index === 2 ? `the tool list changed${hostile}` : null,
  }));
  const epochs = [epochRecord(1), epochRecord(3)].map((epoch, index) => ({
    ...epoch,
    startedAtMs: startMs + index * 2 * HOUR_MS,
  }));
  const entries = [{ ...entryRecord(2, 1), decidedAtMs: startMs + HOUR_MS }];
  return { ...NOTHING, ledger: { epochs, entries }, turns: calls.toReversed() };
}

function timeline(stored: StoredSession, title: string | null, shownCalls = 400): Timeline {
  const overview = overviewOf(stored);
  return timelineOf({ sessionId: first, title, atMs: Date.now(), overview, shownCalls });
}

describe("the bill", () => {
  test("is 0.1 for a read, 1.25 for a write where the provider charges for it, 1 for the rest", () => {
    const tokens = {
      inputTokens: 100,
      outputTokens: 7,
      cacheReadTokens: 1_000,
      cacheWriteTokens: 40,
    };
    expect(billOf(tokens, ratesOf("anthropic/claude-opus-5"))).toEqual({
      readCost: 100,
      writeCost: 50,
      plainCost: 100,
      total: 250,
      uncached: 1_140,
    });
    expect(billOf(tokens, ratesOf("openai/gpt-6")).total).toBe(240);
  });
});

describe("the time line", () => {
  test("has each call with its bill and epoch, and each update at the call that told it", () => {
    const { calls, updates, totals } = timeline(sample(), null);
    expect(
      calls.map(({ number, epochNumber, bill }) => [number, epochNumber, bill?.total]),
    ).toEqual([
      [1, 1, 669.5],
      [2, 1, undefined],
      [3, 2, 669.5],
    ]);
    expect(updates).toEqual([expect.objectContaining({ callNumber: 2, keys: ["team/weather"] })]);
    expect(totals).toMatchObject({ calls: 3, bill: 1339, uncached: 11_380, busts: 1 });
  });

  test("of a long session shows the newest calls, and sums up all", () => {
    const { calls, epochs, updates, totals } = timeline(sample(), null, 1);
    expect(calls.map(({ number }) => number)).toEqual([3]);
    expect(epochs.map(({ number }) => number)).toEqual([2]);
    expect(updates).toEqual([]);
    expect(totals.calls).toBe(3);
  });

  test("on the terminal has a bar for each call, with what happened at it", () => {
    const text = renderTimeline(timeline(sample(), "A title"), PLAIN);
    expect(text).toContain("ses_first, A title");
    expect(text).toMatch(/ {4}1 {2}\d\d:\d\d:\d\d {2}█{28} +670/);
    expect(text).toMatch(/ {4}2 .* not reported\n {6}\+ update: team\/weather \(40 bytes\)/);
    expect(text).toContain("Epoch 2");
    expect(text).toContain("! bust: the tool list changed");
  });
});

describe("the page", () => {
  test("keeps hostile text as text", () => {
    const hostile = "</script><script>alert(1)</script>";
    const page = renderTimelinePage(timeline(sample(hostile), hostile), `"${hostile}"`);
    expect(page).not.toContain(hostile);
    expect(page).not.toMatch(/(src|href)=/);
  });

  test("is written by timeline --html, whole and with nothing to fetch", async () => {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now() - HOUR_MS);
    const { out, exitCode } = await folder.run(["timeline", first, "--html", "page.html"]);
    expect(exitCode).toBe(0);
    expect(out).toContain(join(folder.home, "page.html"));
    const page = readFileSync(join(folder.home, "page.html"), "utf8");
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/(src|href)=/);
    const { err } = await folder.run(["timeline", first, "--html", "nowhere/page.html"]);
    expect(err).toContain("The page can't be written");
  });
});

const missing = missingTool("chromium");
const inBrowser = missing === null ? describe : describe.skip;

inBrowser(`the page in a browser${missing === null ? "" : ` (skipped: ${missing})`}`, () => {
  let browser: Browser;

  beforeAll(async () => {
    const executablePath = systemTool("chromium") ?? "";
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  });
  afterAll(() => browser.close());

  async function opened(scheme: "light" | "dark", width: number) {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now() - HOUR_MS);
    await folder.run(["timeline", first, "--html", "page.html"]);
    const page = await browser.newPage({ colorScheme: scheme, viewport: { width, height: 900 } });
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    const address = `file://${join(folder.home, "page.html")}`;
    await page.goto(address);
    return { page, complaints, asked, address };
  }

  test.each(["light", "dark"] as const)(
    "draws the bills and marks the busts, %s",
    async (scheme) => {
      const { page, complaints, asked, address } = await opened(scheme, 1_100);
      expect(await page.evaluate(pixelsOf, "--read")).toBeGreaterThan(1_000);
      expect(await page.evaluate(pixelsOf, "--write")).toBeGreaterThan(100);
      expect(await page.evaluate(pixelsOf, "--bust")).toBeGreaterThan(20);
      expect({ complaints, asked }).toEqual({ complaints: [], asked: [address] });
      await page.close();
    },
  );

  test("follows the colour scheme when it changes", async () => {
    const { page } = await opened("light", 1_100);
    const light = await page.evaluate(background);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await page.evaluate(background)).not.toBe(light);
    // The page hears of the change, and draws anew, a moment later.
    await page.waitForFunction(pixelsOf, "--read");
    expect(await page.evaluate(pixelsOf, "--read")).toBeGreaterThan(1_000);
    await page.close();
  });

  test("holds every figure of the chart in a table, and every mark of the time line has words", async () => {
    const { page } = await opened("light", 1_100);
    const rows = await page.getByRole("row").allInnerTexts();
    expect(rows).toHaveLength(4);
    expect(rows[1]).toContain("5,600");
    expect(rows[3]).toContain("Bust: a new epoch began");
    const marks = await page.locator(".strip title").allTextContents();
    expect(marks.filter((text) => text.startsWith("Epoch"))).toHaveLength(2);
    expect(marks.some((text) => text.includes("update of team/weather"))).toBe(true);
    expect(marks.some((text) => text.includes("a new epoch began"))).toBe(true);
    await page.close();
  });

  test("on a narrow screen nothing but tables and time line scrolls sideways", async () => {
    const { page } = await opened("light", 360);
    const width = await page.evaluate(contentWidth);
    expect(width).toBeLessThanOrEqual(360);
    await page.close();
  });
});
