import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readRewrites } from "@session-runtime/opencode/features/history/rewrite-status";
import type { RewriteRecord } from "@session-runtime/opencode/features/history/rewrite-store";
import { createSqliteMemoryStore } from "@session-runtime/opencode/features/memory/sqlite-store";
import type { ProjectId } from "@session-runtime/opencode/project/project";
import { openBunDriver } from "@session-runtime/opencode/storage/driver-bun";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { type Browser, chromium } from "playwright-core";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { missingTool, systemTool } from "../../../../scripts/system-tools.mjs";
import { openTerminal } from "../../../e2e/src/terminal/tmux.ts";
import { rewriteRecord } from "../../../plugin/test/features/history/records.ts";
import {
  buildOverview,
  NOTHING,
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
import { type ParallelCalls, readSessionExtras } from "../../src/timeline/beside.ts";
import { computeBill, guessRates } from "../../src/timeline/bill.ts";
import { buildTimeline, type Timeline } from "../../src/timeline/model.ts";
import { renderTimelinePage } from "../../src/timeline/page/page.ts";
import { renderTimeline } from "../../src/timeline/render-text.ts";
import { bundledCli } from "../command-line.ts";
import { DataFolders, first, second, storeSession } from "./data-folder.ts";
import { background, contentWidth, countPixels, cutTexts } from "./page-probes.js";

setDefaultTimeout(600_000);
const folders = new DataFolders();
const HOUR_MS = 3_600_000;
const third = "ses_third" as SessionId;

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

function timeline(
  stored: StoredSession,
  title: string | null,
  shownCalls = 400,
  rewrites: readonly RewriteRecord[] = [],
  beside: readonly ParallelCalls[] = [],
): Timeline {
  const overview = buildOverview(stored);
  const { epochs } = stored.ledger;
  const calls = stored.turns.toReversed();
  const history = readRewrites({ rewrites, calls, epochs, shown: null });
  const base = { sessionId: first, title, atMs: Date.now(), overview, history, beside };
  return buildTimeline({ ...base, shownCalls });
}

describe("the bill", () => {
  test("is 0.1 for a read, 1.25 for a write where the provider charges for it, 1 for the rest", () => {
    const tokens = {
      inputTokens: 100,
      outputTokens: 7,
      cacheReadTokens: 1_000,
      cacheWriteTokens: 40,
    };
    expect(computeBill(tokens, guessRates("anthropic/claude-opus-5"))).toEqual({
      readCost: 100,
      writeCost: 50,
      plainCost: 100,
      total: 250,
      uncached: 1_140,
    });
    expect(computeBill(tokens, guessRates("openai/gpt-6")).total).toBe(240);
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
    expect(totals).toMatchObject({
      calls: 3,
      bill: 1339,
      uncached: 11_380,
      busts: 1,
      newEpochs: 1,
    });
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
    expect(text).toContain(
      "3 calls, a bill of 1,339 tokens at the price of uncached input (11,380 without any cache); 1 bust, 1 new epoch",
    );
  });

  test("lists each rewrite at its call, with cost and saving; the page marks it", () => {
    const [, , newest] = sample().turns.toReversed();
    const record = { atMs: newest?.sentAtMs ?? 0, epochSeq: 3, drops: 2, folds: 1 };
    const undone = { atMs: sample().turns.at(-1)?.sentAtMs ?? 0, epochSeq: 3 };
    const rewrites = [rewriteRecord(2, undone), rewriteRecord(5, record)];
    const found = timeline(sample(), null, 400, rewrites);
    expect(found.rewrites).toMatchObject([
      { callNumber: 1, state: "undone" },
      { callNumber: 3, state: "holds", costTokens: 2_000, savedSoFar: 1_000, calls: 1 },
    ]);
    const words =
      "2 parts dropped, older messages folded, as it paid; cost 2,000, spares 10,000 a call, 1,000 in 1 call so far";
    const text = renderTimeline(found, PLAIN);
    expect(text).toMatch(new RegExp(`^ {4}3 .*\n.*\n {6}~ rewrite: ${words}$`, "m"));
    const page = renderTimelinePage([found], "/project", "");
    expect(page.match(/<path class="rewrite"/g)).toHaveLength(4);
    expect(page).toContain(`Rewrite: ${words}`);
    expect(page).toContain("tokens spared by 2 rewrites, which cost 2,000");
    expect(timeline(sample(), null, 1, rewrites).rewrites).toHaveLength(1);
  });

  test("Y7: lists what was done to memories, and jobs, after the call before them; the page marks it", async () => {
    const folder = folders.make();
    storeSession(folder.open(), first, 1_750_000_000_000);
    const driver = openBunDriver(folder.path);
    driver.exec("PRAGMA foreign_keys = ON");
    const [call] = driver.all("SELECT sent_at_ms FROM turn ORDER BY seq");
    const atMs = Number(call?.sent_at_ms);
    const store = createSqliteMemoryStore(driver);
    const shop = { id: "commit:1" as ProjectId, name: "shop", worktree: "/shop" };
    await store.enter(shop, atMs);
    const by = { by: "historian", sessionId: first, segment: null, nowMs: atMs + 1 } as const;
    const base = { category: "NAMING", importance: 50, permanence: "ordinary" } as const;
    const [outcome] = await store.apply(
      shop.id,
      [{ kind: "add", wording: { ...base, text: "A secret of herons." } }],
      by,
    );
    if (outcome?.kind !== "done") throw new Error(JSON.stringify(outcome));
    const { id, ref } = outcome.memory;
    await store.apply(shop.id, [{ kind: "archive", id }], { ...by, nowMs: atMs + 2 });
    driver.run(
      `INSERT INTO job (kind, board, session_id, key, urgency, state, attempts, due_at_ms, input,
        model, input_tokens, output_tokens, created_at_ms, started_at_ms, settled_at_ms)
       VALUES ('historian', '/shop', ?, 'k', 'waits', 'settled', 1, 1, '{}', 'p/small', 1200, 34, 1, 1, ?)`,
      ...[first, atMs + 3],
    );
    const beside = readSessionExtras(driver, first);
    driver.close();
    expect(beside.map(({ words }) => words)).toEqual([
      `memory ${ref} (NAMING) written by the historian`,
      `memory ${ref} (NAMING) archived`,
      "job 1 (historian) done by p/small, 1,234 tokens",
    ]);
    const { out } = await folder.run(["timeline", first]);
    expect(out).toMatch(
      /^ {4}1 .*(?:\n {6}[^.].*)*\n {6}\. memory m:\w{6} \(NAMING\) written by the historian$/m,
    );
    expect(out).not.toContain("A secret of herons.");
    const [sent] = sample()
      .turns.map(({ sentAtMs }) => sentAtMs)
      .toSorted();
    const marks = beside.map((one) => ({ ...one, atMs: (sent ?? 0) + 1 }));
    const found = timeline(sample(), null, 400, [], marks);
    expect(found.beside.map(({ callNumber }) => callNumber)).toEqual([1, 1, 1]);
    const page = renderTimelinePage([found], "/project", "");
    expect(page.match(/<circle class="beside"/g)).toHaveLength(6);
    expect(page).toContain("After it: job 1 (historian) done by p/small, 1,234 tokens");
  });

  test("says what was paid and saved against the session's own host; a page of both hosts names neither", () => {
    const ours = timeline(sample(), null);
    const money = { paidUsd: 2, savedUsd: 1, sparedCalls: 1, sparedTokens: 900 };
    const [theirs, pis] = [null, "pi"].map((harness) => ({ ...ours, harness, money }));
    if (!theirs || !pis) throw new Error("Two were made");
    expect(renderTimeline(theirs, PLAIN)).toContain("saved about $1.00 against OpenCode alone");
    expect(renderTimeline(pis, PLAIN)).toContain("saved about $1.00 against Pi alone");
    const page = renderTimelinePage([pis], "/project", "");
    expect(page).toContain("saved about $1.00 against Pi alone");
    expect(page).toContain("Dollars are by Pi's own");
    expect(page).not.toContain("OpenCode");
    const unspared = { ...pis, money: { ...money, savedUsd: 0 } };
    expect(renderTimelinePage([unspared], "/project", "")).toContain("by Pi’s own prices");
    const both = renderTimelinePage([theirs, pis], "/project", "");
    expect(both).toContain("saved about $2.00 against the host alone");
    expect(both).toContain("Dollars are by the host's own");
  });

  test("names a new epoch at the call that opens it, and at no other; it is no bust", () => {
    const stored = sample();
    const turns = stored.turns.map((turn) => ({ ...turn, bust: null }));
    const found = timeline({ ...stored, turns }, null);
    const text = renderTimeline(found, PLAIN);
    expect(text.match(/^ {6}\+ new epoch$/gm)).toHaveLength(1);
    expect(text).toMatch(/ {4}3 .*\n {6}\+ new epoch\n/);
    expect(text).toContain("0 busts, 1 new epoch");
    const page = renderTimelinePage([found], "/project", "");
    expect(page).toContain("New epoch: 2 after a compaction");
    expect(page).toContain("Epoch 1 with the session&#39;s first call");
    expect(page).toContain("1 new epoch apart from them");
    expect(page).not.toContain("Bust:");
  });
});

describe("the page", () => {
  test("keeps hostile text as text", () => {
    const hostile = "</script><script>alert(1)</script>";
    const page = renderTimelinePage([timeline(sample(hostile), hostile)], hostile, `"${hostile}"`);
    expect(page).not.toContain(hostile);
    expect(page).not.toMatch(/(src|href)=/);
  });

  test("is written by timeline --html, whole and with nothing to fetch", async () => {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now() - HOUR_MS);
    const { out, exitCode } = await folder.runAsProcess(["timeline", first, "--html", "page.html"]);
    expect(exitCode).toBe(0);
    expect(out).toContain(join(folder.home, "page.html"));
    const page = readFileSync(join(folder.home, "page.html"), "utf8");
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/(src|href)=/);
    const { err } = await folder.runAsProcess(["timeline", first, "--html", "nowhere/page.html"]);
    expect(err).toContain("nowhere/page.html can't be written: ");
  });
});

describe("the page's file", () => {
  async function withPage(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now() - HOUR_MS);
    const file = join(folder.home, "page.html");
    writeFileSync(file, "mine");
    const ran = await folder.runAsProcess(["timeline", first, ...words], env);
    return { ...ran, folder, kept: readFileSync(file, "utf8") === "mine" };
  }

  test("that is there is not written over without a terminal, but for --force", async () => {
    const refused = await withPage(["--html", "page.html"]);
    expect(refused).toMatchObject({ exitCode: 1, out: "", kept: true });
    expect(refused.err).toContain("page.html already exists.");
    expect(refused.err).toContain("Overwrite it with --force");
    const asJson = await withPage(["--html", "page.html", "--json"]);
    expect(JSON.parse(asJson.out).error.code).toBe("file-exists");
    expect(asJson.kept).toBe(true);
    const forced = await withPage(["--html", "page.html", "--force"]);
    expect(forced).toMatchObject({ exitCode: 0, kept: false });
  });

  test.skipIf(missingTool("tmux") !== null)(
    "that is there is written over on a terminal if the answer is yes",
    async () => {
      const folder = folders.make();
      storeSession(folder.open(), first, Date.now() - HOUR_MS);
      const file = join(folder.home, "page.html");
      writeFileSync(file, "mine");
      const script = 'node "$@"; echo "ended with $?"; exec cat';
      const answered = async (press: readonly string[]) => {
        const terminal = openTerminal({
          command: ["sh", "-c", script, "sh", bundledCli(), "timeline", first, "--html", file],
          cwd: folder.home,
          env: {
            PATH: process.env.PATH ?? "",
            LANG: "C.UTF-8",
            HOME: folder.home,
            OPENCODE_BIN: hostBinary(),
          },
          columns: 120,
          rows: 20,
        });
        try {
          await terminal.waitFor("Overwrite it?");
          for (const key of press) terminal.press(key);
          return await terminal.waitFor("ended with");
        } finally {
          terminal.close();
        }
      };
      expect(await answered(["Enter"])).toContain("Nothing was written.");
      expect(readFileSync(file, "utf8")).toBe("mine");
      expect(await answered(["y"])).toContain("ended with 0");
      expect(readFileSync(file, "utf8")).toContain("<!doctype html>");
    },
  );

  test("is opened by --open, by the system's program; where that fails it is named", async () => {
    const bin = join(folders.make().home, "bin");
    mkdirSync(bin);
    const opener = process.platform === "darwin" ? "open" : "xdg-open";
    writeFileSync(join(bin, opener), '#!/bin/sh\necho "$1" > "$HOME/opened"\n');
    chmodSync(join(bin, opener), 0o755);
    const env = { PATH: `${bin}:${process.env.PATH}` };
    const { folder, out, err, exitCode } = await withPage(["--open"], env);
    expect({ err, exitCode }).toEqual({ err: "", exitCode: 0 });
    const opened = readFileSync(join(folder.home, "opened"), "utf8").trim();
    expect(out).toContain(opened);
    expect(readFileSync(opened, "utf8")).toContain("<!doctype html>");
    rmSync(dirname(opened), { recursive: true });
    writeFileSync(join(bin, opener), "#!/bin/sh\nexit 3\n");
    const failed = await withPage(["--open", "--html", "other.html"], env);
    expect(failed.exitCode).toBe(4);
    expect(failed.err).toContain(`The page is written, but ${opener} could not open it.`);
    expect(failed.err).toContain(join(failed.folder.home, "other.html"));
  });
});

describe("--all", () => {
  function project() {
    const folder = folders.make();
    const { ledger, turns } = folder.open();
    const below = join(folder.home, "packages/app");
    const places = [
      [first, folder.home],
      [second, below],
      [third, `${folder.home}-other`],
    ] as const;
    for (const [index, [sessionId, directory]] of places.entries()) {
      const location = { directory, worktree: folder.home };
      const epoch = { ...epochRecord(1, sessionId), location };
      ledger.commit({ sessionId, expectedSeq: 0, epoch, entries: [] });
      const sentAtMs = Date.now() - (index + 1) * HOUR_MS;
      turns.append({ ...turnRecord(sentAtMs, 1, sessionId), newMessageIds: ["msg_1"] });
      turns.settle(sessionId, { usage, cost, bust: null, sentAtMs });
    }
    return folder;
  }

  test("is of every session of this folder and of those below it, and of no other", async () => {
    const folder = project();
    const { sessions } = JSON.parse((await folder.run(["timeline", "--all", "--json"])).out);
    expect(sessions.map(({ sessionId }: Timeline) => sessionId)).toEqual([first, second]);
    const { out } = await folder.run(["timeline", "--all"]);
    expect(out).toContain(`${first}\n`);
    expect(out).toContain(`${second}\n`);
    expect(out).not.toContain(third);
    expect((await folder.run(["timeline", first, "--all"])).exitCode).toBe(2);
  });

  test("makes one page: what they come to, and each with its chart and table", async () => {
    const folder = project();
    const { out } = await folder.runAsProcess(["timeline", "--all", "--html", "all.html"]);
    expect(out).toContain("all.html shows 2 calls of 2 sessions.");
    const page = readFileSync(join(folder.home, "all.html"), "utf8");
    expect(page).toContain(`<h1>${folder.home}</h1>`);
    expect(page).toContain("All 2 sessions of this folder and of those below it");
    expect(page.match(/<canvas/g)).toHaveLength(2);
    expect(page).toContain("1,339 tokens");
    const ids: readonly string[] =
      page.slice(0, page.indexOf("<script>")).match(/ id="[^"]+"/g) ?? [];
    expect(ids).toEqual([...new Set(ids)]);
  });
});

const missing = missingTool("chromium");
const inBrowser = missing === null ? describe : describe.skip;

inBrowser(`the page in a browser${missing === null ? "" : ` (skipped: ${missing})`}`, () => {
  let browser: Browser;
  let text = "";

  beforeAll(async () => {
    const executablePath = systemTool("chromium") ?? "";
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now() - HOUR_MS);
    await folder.runAsProcess(["timeline", first, "--html", "page.html"]);
    text = readFileSync(join(folder.home, "page.html"), "utf8");
  });
  afterAll(() => browser.close());

  async function opened(scheme: "light" | "dark", width: number) {
    const folder = folders.make();
    writeFileSync(join(folder.home, "page.html"), text);
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
      expect(await page.evaluate(countPixels, "--read")).toBeGreaterThan(1_000);
      expect(await page.evaluate(countPixels, "--write")).toBeGreaterThan(100);
      expect(await page.evaluate(countPixels, "--bust")).toBeGreaterThan(20);
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
    await page.waitForFunction(countPixels, "--read");
    expect(await page.evaluate(countPixels, "--read")).toBeGreaterThan(1_000);
    await page.close();
  });

  test("holds every figure of the chart in a table, and every mark of the time line has words", async () => {
    const { page } = await opened("light", 1_100);
    const rows = await page.getByRole("row").allInnerTexts();
    expect(rows).toHaveLength(4);
    expect(rows[1]).toContain("5,600");
    expect(rows[3]).toContain("Bust: a new epoch began");
    const marks = await page.locator(".strip.wide title").allTextContents();
    expect(marks.filter((text) => text.startsWith("Epoch"))).toHaveLength(2);
    expect(marks.some((text) => text.includes("update of team/weather"))).toBe(true);
    expect(marks.some((text) => text.includes("a new epoch began"))).toBe(true);
    await page.close();
  });

  test.each([
    [1_280, "light"],
    [1_280, "dark"],
    [390, "light"],
    [390, "dark"],
  ] as const)(
    "at %d px, %s, nothing is cut and nothing scrolls sideways",
    async (width, scheme) => {
      const { page } = await opened(scheme, width);
      expect(await page.evaluate(contentWidth)).toBeLessThanOrEqual(width);
      expect(await page.evaluate(cutTexts)).toEqual([]);
      await page.close();
    },
  );
});
