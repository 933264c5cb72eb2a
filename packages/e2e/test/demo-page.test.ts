import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { missingTool, systemTool } from "../../../scripts/system-tools.mjs";
import { countPixels } from "../../cli/test/data/page-probes.js";
import { renderPage } from "../src/demo/page/page.ts";
import type { WholeDemo } from "../src/demo/report.ts";
import { parseReportData } from "./demo-page.ts";

// A process of its own: behind a browser driven from it, this Bun's requests to hosts get no answer.
setDefaultTimeout(600_000);

const HOSTILE = "</script><script>alert(1)</script>";

/** One step, at this bill on both sides, with hostile text wherever there is text. */
function hostileReport(bill: number): WholeDemo {
  const side = {
    steps: [{ bill, promptTokens: bill, readTokens: 0 }],
    totals: { bill, ideal: bill },
  };
  const longSide = {
    ...{ bills: [bill], bill, fromContext: 1, byLookUp: 1, peakTokens: 1, compactions: 0 },
  };
  return {
    day: {
      host: HOSTILE as "Pi",
      provider: HOSTILE,
      about: HOSTILE,
      notes: [HOSTILE],
      steps: [{ label: HOSTILE }],
      without: side,
      with: side,
      status: HOSTILE,
    },
    long: {
      ...{ turns: 1, windowTokens: 1, questions: 2, labels: [HOSTILE], status: HOSTILE },
      ages: { least: 1, most: 2 },
      ...{ without: longSide, with: longSide },
    },
  };
}

test("the page keeps hostile text as text", async () => {
  const page = await renderPage(hostileReport(1));
  expect(page).not.toContain(HOSTILE);
  expect(parseReportData(page)).toEqual(hostileReport(1));
});

const missing = missingTool("chromium");

test.skipIf(missing !== null)(
  `the page in a browser draws both sides, and neither fetches nor complains${missing === null ? "" : ` (skipped: ${missing})`}`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "session-runtime-demo-"));
    const file = join(folder, "demo.html");
    writeFileSync(file, await renderPage(hostileReport(1_000)));
    const executablePath = systemTool("chromium") ?? "";
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
    try {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("dialog", (dialog) => complaints.push(dialog.message()));
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(message.text());
      });
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      await page.goto(`file://${file}`);
      expect(await page.title()).toBe("Session Runtime: what a day's session costs");
      for (const colour of ["--without", "--with"]) {
        expect(await page.evaluate(countPixels, colour)).toBeGreaterThan(1_000);
      }
      expect(await page.locator("canvas").count()).toBe(3);
      expect(await page.getByRole("cell", { name: HOSTILE }).count()).toBe(2);
      expect(await page.getByRole("cell", { name: "2 of 2" }).count()).toBe(2);
      expect({ complaints, asked }).toEqual({ complaints: [], asked: [`file://${file}`] });
    } finally {
      await browser.close();
      rmSync(folder, { recursive: true });
    }
  },
);
