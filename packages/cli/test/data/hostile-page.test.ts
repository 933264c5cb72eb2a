import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRewriteStore } from "@session-runtime/opencode/features/history/rewrite-store";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import { openBunDriver } from "@session-runtime/opencode/storage/driver-bun";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { readSessionRows } from "@session-runtime/opencode/storage/session-rows";
import { type Browser, chromium } from "playwright-core";
import { missingTool, systemTool } from "../../../../scripts/system-tools.mjs";
import { rewriteRecord } from "../../../plugin/test/features/history/records.ts";
import { schema } from "../../../plugin/test/schema.ts";
import { renderEstimatePage } from "../../src/estimate/page/page.ts";
import type { Estimates } from "../../src/estimate/read-sessions.ts";
import { renderDocument } from "../../src/page/document.ts";
import { html } from "../../src/page/markup.ts";
import type { Timeline } from "../../src/timeline/model.ts";
import { renderTimelinePage } from "../../src/timeline/page/page.ts";
import { writeSessionFile } from "../../src/transfer/file-format.ts";
import { DataFolders, first, storeSession } from "./data-folder.ts";

setDefaultTimeout(600_000);
const folders = new DataFolders();

/** Ends an attribute, a title, a style and a script, and runs wherever it is read as HTML. */
const MARKUP = `"'></title></style></script><img data-planted src=x onerror="alert(1)"><svg onload="alert(2)"></svg>`;

/** The value with the markup behind every text in it. */
function planted<T>(value: T): T {
  if (typeof value === "string") return `${value}${MARKUP}` as T;
  if (Array.isArray(value)) return value.map(planted) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, planted(field)]),
  ) as T;
}

/** The markup in one column, in the strings of its JSON where it is JSON; none in ids that join tables. */
function plant(driver: Driver, table: string, column: string): void {
  for (const row of driver.all(`SELECT rowid AS at, ${column} AS cell FROM ${table}`)) {
    const cell = String(row.cell ?? "");
    driver.run(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`, inCell(cell), row.at ?? null);
  }
}

function inCell(cell: string): string {
  if (!/^[{["]/.test(cell)) return `${cell}${MARKUP}`;
  return JSON.stringify(planted(JSON.parse(cell)));
}

/** They refuse what no process of ours does, and whoever writes such a database leaves them out. */
function dropTriggers(driver: Driver): void {
  for (const { name } of driver.all("SELECT name FROM sqlite_schema WHERE type = 'trigger'")) {
    driver.exec(`DROP TRIGGER ${String(name)}`);
  }
}

/** A page for each text column of the database, with markup there alone; and each column's name. */
async function pagesByColumn(): Promise<ReadonlyMap<string, string>> {
  const folder = folders.make();
  storeSession(folder.open(), first, Date.now() - 3_600_000);
  const driver = openBunDriver(folder.path);
  createRewriteStore(driver).append(rewriteRecord(2, { sessionId: first }));
  driver.run("UPDATE session SET harness = 'pi'");
  dropTriggers(driver);
  // Whoever writes such a database leaves no checksum that tells on it.
  for (const table of ["epoch", "entry", "prepared_edit", "brief"]) {
    driver.run(`UPDATE ${table} SET checksum = NULL`);
  }
  const columns = textColumns(driver);
  driver.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  driver.close();
  const pages = new Map<string, string>();
  for (const [table, column] of columns) {
    const copy = folders.make();
    copyFileSync(folder.path, copy.path);
    const changed = openBunDriver(copy.path);
    changed.exec("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON");
    plant(changed, table, column);
    changed.close();
    const { out, exitCode } = await copy.run(["timeline", first, "--json"]);
    // A row that no store reads makes no page.
    if (exitCode !== 0) continue;
    const found = JSON.parse(out) as Timeline;
    pages.set(`${table}.${column}`, renderTimelinePage([found], "/project", "0"));
  }
  return pages;
}

function textColumns(driver: Driver): readonly (readonly [string, string])[] {
  const sql = `SELECT one.name AS name, two.name AS part FROM sqlite_schema AS one, pragma_table_info(one.name) AS two
    WHERE one.type = 'table' AND one.sql NOT LIKE '%VIRTUAL%' AND one.sql NOT LIKE '%WITHOUT ROWID%' AND two.type = 'TEXT'`;
  return driver
    .all(sql)
    .map(({ name, part }) => [String(name), String(part)] as const)
    .filter(([table]) => Number(driver.get(`SELECT count(*) AS n FROM ${table}`)?.n) > 0);
}

const bounded = { likely: 2, least: 1, most: 3 };
const estimates: Estimates = {
  sessions: [
    {
      ...{ sessionId: "ses_1" as SessionId, title: "title", directory: "/d", model: "a/b" },
      ...{ calls: 12, paidTokens: 9, paidUsd: 1, withPluginTokens: bounded },
      ...{ withPluginUsd: bounded, simulatedStockTokens: 9, askedAgain: 0, extraCalls: 0 },
      ...{ rewrites: 1, largestContext: { stock: 1, withPlugin: 1 } },
    },
  ],
  leftOut: { short: 1, withPlugin: 1, unreadable: [{ sessionId: "s" as SessionId, reason: "r" }] },
};

const missing = missingTool("chromium");
const inBrowser = missing === null ? describe : describe.skip;

inBrowser(`stored markup in a browser${missing === null ? "" : ` (skipped: ${missing})`}`, () => {
  let browser: Browser;
  const root = mkdtempSync(join(tmpdir(), "session-runtime-pages-"));
  beforeAll(async () => {
    const executablePath = systemTool("chromium") ?? "";
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  });
  afterAll(async () => {
    await browser.close();
    rmSync(root, { recursive: true });
  });

  /** What ran, what became an element, and what was asked of the network, for each page. */
  async function probePages(pages: ReadonlyMap<string, string>) {
    const tab = await browser.newPage();
    const ran: string[] = [];
    let name = "";
    tab.on("dialog", (dialog) => {
      ran.push(`${name}: ${dialog.message()}`);
      void dialog.dismiss();
    });
    tab.on("request", (request) => {
      if (!request.url().endsWith("page.html")) ran.push(`${name}: ${request.url()}`);
    });
    for (const [key, text] of pages) {
      name = key;
      writeFileSync(join(root, "page.html"), text);
      await tab.goto(`file://${join(root, "page.html")}`);
      const elements = await tab.locator("[data-planted]").count();
      if (elements > 0) ran.push(`${name}: ${elements} elements`);
    }
    await tab.close();
    return ran;
  }

  test("in any text column of any table it stays text on the timeline's page", async () => {
    const pages = await pagesByColumn();
    const shown = [...pages]
      .filter(([, page]) => page.includes("data-planted"))
      .map(([key]) => key);
    expect(shown).toEqual(expect.arrayContaining(["epoch.directory", "turn.agent"]));
    expect(await probePages(pages)).toEqual([]);
  });

  test("in any text of an estimate it stays text on its page", async () => {
    const page = renderEstimatePage(planted(estimates), 0);
    expect(page).toContain("data-planted");
    expect(await probePages(new Map([["estimate", page]]))).toEqual([]);
  });

  test("were a hole left, no script but the page's own would run, and nothing could be sent", async () => {
    const program = { data: { id: "data", value: 1 }, script: 'document.title = "drawn";' };
    const body = html`<p>mine</p>`;
    const page = renderDocument({ title: "t", style: "", body, program });
    const hole = `${MARKUP}<script>alert(3)</script><base href="https://example.org/">
<form action="https://example.org/x"><input name="a"></form>
<script>fetch("https://example.org/y")</script>`;
    const file = join(root, "hole.html");
    writeFileSync(file, page.replace("<p>mine</p>", hole));
    const tab = await browser.newPage();
    const seen: string[] = [];
    tab.on("dialog", (dialog) => void dialog.dismiss().then(() => seen.push(dialog.message())));
    tab.on("request", (request) => seen.push(request.url()));
    await tab.goto(`file://${file}`);
    expect(await tab.title()).toBe("drawn");
    await tab.evaluate("document.forms[0].submit()");
    expect(String(await tab.evaluate("document.baseURI"))).toBe(`file://${file}`);
    expect(tab.url()).toBe(`file://${file}`);
    expect(seen.filter((one) => !one.startsWith("file:"))).toEqual([]);
    await tab.close();
  });
});

test("HTML is made by the tag alone: it escapes every hole, keeps HTML, and refuses what was made elsewhere", () => {
  const inner = html`<b title="${MARKUP}">${1}</b>`;
  const page = String(html`<p>${inner}${[inner, "<"]}</p>`);
  expect(page).not.toContain("<img");
  expect(page).toContain("<p><b title=");
  expect(page).toContain("&#39;");
  expect(page.endsWith("\n&lt;</p>")).toBe(true);
});

test("an import refuses a host's name that is none: it stands in headings", async () => {
  const folder = folders.make();
  storeSession(folder.open(), first, Date.now() - 3_600_000);
  const driver = openBunDriver(folder.path);
  const rows = readSessionRows(driver, schema, first).map(({ table, row }) =>
    table === "session" ? { table, row: { ...row, harness: MARKUP } } : { table, row },
  );
  driver.close();
  const about = { schemaVersion: schema.version, sessionId: first, exportedAtMs: 0 };
  const other = folders.make();
  writeFileSync(join(other.home, "evil.jsonl"), writeSessionFile(rows, about));
  const { exitCode, err } = await other.run(["import", "evil.jsonl"]);
  expect({ exitCode, err }).toMatchObject({ exitCode: 1 });
  expect(err).toContain("harness (not a name)");
});
