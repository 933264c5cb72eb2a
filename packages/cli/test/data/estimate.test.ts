import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import type { Estimates } from "../../src/estimate/read-sessions.ts";
import type { EstimateSum } from "../../src/estimate/sum.ts";
import { play } from "../../src/simulation/play.ts";
import { OWN_FRONT_TOKENS, usualHistory } from "../../src/simulation/usual.ts";
import { type DataFolder, DataFolders, storeSession } from "./data-folder.ts";
import {
  HostRows,
  hostDatabasePath,
  madeModel,
  madeSession,
  openHostDatabase,
  storePlayed,
  storeSessionRow,
} from "./host-database.ts";

setDefaultTimeout(600_000);
const folders = new DataFolders();

const PRICES = {
  anthropic: {
    npm: "@ai-sdk/anthropic",
    models: {
      "claude-made": {
        cost: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 },
        limit: { context: 200_000, output: 64_000 },
      },
    },
  },
};

function write(folder: DataFolder, path: string, text: string): void {
  const file = join(folder.home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

interface MadeSession {
  readonly id: string;
  readonly calls: number;
  readonly directory?: string;
}

/** The newest first. Gives the bill of each, as OpenCode alone was sent it. */
function storeHost(folder: DataFolder, sessions: readonly MadeSession[]): readonly number[] {
  const driver = openHostDatabase(folder.home);
  const bills = driver.transaction(() =>
    sessions.map(({ id, calls, directory }, at) => {
      const row = { id, title: `About ${id}`, directory: directory ?? folder.home };
      const played = { recorded: madeSession(id, calls), model: madeModel };
      return storePlayed(driver, { ...row, updatedMs: 1_750_000_000_000 - at }, played);
    }),
  );
  driver.close();
  return bills;
}

const DONE = { err: "", exitCode: 0 };

type Result = Estimates & { readonly sum: EstimateSum };

async function estimated(folder: DataFolder, ...words: readonly string[]): Promise<Result> {
  const { out, err, exitCode } = await folder.run(["estimate", "--json", ...words]);
  // On a slow machine the progress is said.
  expect({ err: err.replace(/^Session \d+ of \d+: .* …\n/gm, ""), exitCode }).toEqual(DONE);
  return JSON.parse(out);
}

describe("an estimate", () => {
  test("ES1: has what was paid to the token, and with the plugin what the same session costs in a replay, within 5 %", async () => {
    const folder = folders.make();
    write(folder, ".cache/opencode/models.json", JSON.stringify(PRICES));
    const [bill = 0] = storeHost(folder, [{ id: "ses_long", calls: 120 }]);
    const { sessions } = await estimated(folder);
    const [one] = sessions;
    const ours = play(
      madeSession("ses_long", 120),
      { ...madeModel, frontTokens: madeModel.frontTokens + OWN_FRONT_TOKENS },
      usualHistory(),
    );
    expect(one).toMatchObject({
      sessionId: "ses_long",
      title: "About ses_long",
      directory: folder.home,
      calls: 120,
      model: "anthropic/claude-made",
    });
    expect(one.paidTokens / bill).toBeCloseTo(1, 6);
    expect(one.paidUsd).toBeCloseTo((bill * 3) / 1_000_000, 6);
    expect(Math.abs(one.withPluginTokens.likely / ours.bill - 1)).toBeLessThan(0.05);
    expect(one.withPluginTokens.likely).toBeLessThan(0.8 * bill);
    expect(ours.askedAgain).toBeGreaterThan(3);
    expect(Math.abs(one.askedAgain - ours.askedAgain)).toBeLessThanOrEqual(1);
    expect(one.simulatedStockTokens / bill).toBeCloseTo(1, 1);
    const { least, most, likely } = one.withPluginTokens;
    expect(least).toBeLessThan(0.96 * likely);
    expect(most).toBeGreaterThan(1.05 * likely);
  });

  test("is summed over sessions, the newest first; dollars of a model without a price are not made up", async () => {
    const folder = folders.make();
    // So many are played in threads.
    const ids = Array.from({ length: 9 }, (_, at) => `ses_${at}`);
    const bills = storeHost(
      folder,
      ids.map((id, at) => ({ id, calls: 12 + 4 * at })),
    );
    const { sessions, sum } = await estimated(folder);
    expect(sessions.map(({ sessionId }) => String(sessionId))).toEqual(ids);
    expect(sessions.map(({ calls }) => calls)).toEqual([12, 16, 20, 24, 28, 32, 36, 40, 44]);
    expect(sum.paidTokens / bills.reduce((all, bill) => all + bill, 0)).toBeCloseTo(1, 6);
    expect(sum).toMatchObject({ sessions: 9, calls: 252, money: null });
    const { out } = await folder.run(["estimate"]);
    expect(out).toContain("No dollars: OpenCode's list of models has no price for these models.");
    expect(out).not.toContain("$");
  });

  test("shows bills, range, sessions and doubts on the terminal", async () => {
    const folder = folders.make();
    write(folder, ".cache/opencode/models.json", JSON.stringify(PRICES));
    storeHost(folder, [{ id: "ses_b", calls: 60 }]);
    const { out } = await folder.run(["estimate"]);
    expect(out).toMatch(/Paid for context +[\d,]+ +\$[\d.]+\n/);
    expect(out).toMatch(/With Session Runtime +[\d,]+ +\$[\d.]+\n +between +[\d,]+ to [\d,]+ +\$/);
    expect(out).toMatch(/About ses_b +60 +[\d,]+ +[\d,]+ +\d+ % (less|more) +\d+\n/);
    expect(out).toContain("your sessions cost 100 % of what you paid");
  });

  test("is a page that fetches and runs nothing, with two bars a session", async () => {
    const folder = folders.make();
    storeHost(folder, [
      { id: "ses_b", calls: 40 },
      { id: "ses_a<i>", calls: 30 },
    ]);
    const { out } = await folder.run(["estimate", "--html", "page.html"]);
    expect(out).toContain("page.html shows 2 sessions.");
    const page = readFileSync(join(folder.home, "page.html"), "utf8");
    expect(page).toContain("default-src 'none'");
    expect(page).not.toContain("<script");
    expect(page.match(/class="bar paid"/g)).toHaveLength(2);
    expect(page.match(/class="bar ours"/g)).toHaveLength(2);
    expect(page).toContain("About ses_a&lt;i&gt;");
    const again = await folder.run(["estimate", "--html", "page.html"]);
    expect(again.exitCode).toBe(1);
    expect(again.err).toContain("Overwrite it with --force");
  });

  test("leaves a compaction's call in what was paid, and out of what is replayed", async () => {
    const folder = folders.make();
    const [bill = 0] = storeHost(folder, [{ id: "ses_b", calls: 40 }]);
    const driver = openHostDatabase(folder.home);
    const rows = new HostRows(driver, "ses_b_later");
    driver.run("UPDATE message SET session_id = 'ses_b_later'");
    driver.run("UPDATE part SET session_id = 'ses_b_later'");
    driver.run("UPDATE session SET id = 'ses_b_later'");
    rows.add({ role: "user" }, [{ type: "compaction", auto: true }]);
    const tokens = { input: 10_000, output: 900, cache: { read: 0, write: 0 } };
    const by = { providerID: "anthropic", modelID: "claude-made" };
    rows.add({ role: "assistant", summary: true, ...by, tokens }, [{ type: "text", text: "Sum." }]);
    rows.add({ role: "user" }, [{ type: "text", text: "Continue", synthetic: true }]);
    driver.close();
    const [one] = (await estimated(folder)).sessions;
    expect(one.paidTokens - bill).toBeCloseTo(10_000, 0);
    expect(one.calls).toBe(40);
    expect(one.simulatedStockTokens / bill).toBeCloseTo(1, 1);
  });
});

describe("which sessions", () => {
  function several(): DataFolder {
    const folder = folders.make();
    storeHost(folder, [
      { id: "ses_d", calls: 12, directory: "/elsewhere" },
      { id: "ses_c", calls: 12, directory: join(folder.home, "below") },
      { id: "ses_short", calls: 5 },
      { id: "ses_b", calls: 12 },
      { id: "ses_a", calls: 12 },
    ]);
    return folder;
  }
  const ids = ({ sessions }: Result) => sessions.map(({ sessionId }) => String(sessionId));

  test("the newest of all folders, as many as --last says, the short ones not counted", async () => {
    const folder = several();
    const all = await estimated(folder);
    expect(ids(all)).toEqual(["ses_d", "ses_c", "ses_b", "ses_a"]);
    expect(all.leftOut.short).toBe(1);
    expect(ids(await estimated(folder, "--last", "3"))).toEqual(["ses_d", "ses_c", "ses_b"]);
    expect(ids(await estimated(folder, "--all"))).toHaveLength(4);
  });

  test("with --here those of the folder and below it; with --session one, however short", async () => {
    const folder = several();
    expect(ids(await estimated(folder, "--here"))).toEqual(["ses_c", "ses_b", "ses_a"]);
    expect(ids(await estimated(folder, "--session", "short"))).toEqual(["ses_short"]);
    const unknown = await folder.run(["estimate", "--session", "ses_z"]);
    expect(unknown.exitCode).toBe(4);
    expect(unknown.err).toContain('OpenCode has no session called "ses_z".');
  });

  test("what contradicts itself is refused before anything is read", async () => {
    const folder = folders.make();
    for (const words of [
      ["--all", "--last", "3"],
      ["--session", "a", "--here"],
      ["--last", "many"],
    ]) {
      expect((await folder.run(["estimate", ...words])).exitCode).toBe(2);
    }
  });

  test("those that ran with the plugin are left out, and said so", async () => {
    const folder = several();
    storeSession(folder.open(), "ses_b" as SessionId, Date.now());
    const { leftOut, ...rest } = await estimated(folder);
    expect(leftOut.withPlugin).toBe(1);
    expect(ids({ leftOut, ...rest })).toEqual(["ses_d", "ses_c", "ses_a"]);
    const { out } = await folder.run(["estimate"]);
    expect(out.replaceAll(/\s+/g, " ")).toContain(
      "1 session that ran with Session Runtime already",
    );
    const one = await folder.run(["estimate", "--session", "ses_b"]);
    expect(one.exitCode).toBe(4);
    expect(one.err).toContain("1 session ran with Session Runtime already");
  });
});

describe("where nothing can be estimated it says why and what to do", () => {
  test("no database", async () => {
    const { err, exitCode } = await folders.make().run(["estimate"]);
    expect(exitCode).toBe(4);
    expect(err).toContain("can't be read: it does not exist.");
    expect(err).toContain("Use OpenCode for a while first");
  });

  test("a foreign database, and a damaged one", async () => {
    const foreign = folders.make();
    const driver = openHostDatabase(foreign.home);
    driver.exec("DROP TABLE session; CREATE TABLE session (id text)");
    driver.close();
    const refused = await foreign.run(["estimate"]);
    expect(refused.exitCode).toBe(4);
    expect(refused.err).toContain("no such column");
    expect(refused.err).toContain("damaged, or written by a version of OpenCode");
    const damaged = folders.make();
    mkdirSync(dirname(hostDatabasePath(damaged.home)), { recursive: true });
    writeFileSync(hostDatabasePath(damaged.home), "no database at all ".repeat(500));
    const broken = await damaged.run(["estimate"]);
    expect(broken.exitCode).toBe(4);
    expect(broken.err).toContain("file is not a database");
    expect(broken.err).toContain("opencode session list");
  });

  test("a database of the plugin's that isn't one, with what to do", async () => {
    const folder = folders.make();
    storeHost(folder, [{ id: "ses_a", calls: 12 }]);
    const { err, exitCode } = await folder.run(["estimate", "--db", hostDatabasePath(folder.home)]);
    expect(exitCode).toBe(1);
    expect(err).toContain("it is the database of another application");
    const nowhere = await folder.run(["estimate", "--db", folder.home]);
    expect(nowhere.exitCode).toBe(1);
    expect(nowhere.err).not.toContain("This should not have happened");
  });

  test("no session, and only short ones", async () => {
    const folder = folders.make();
    openHostDatabase(folder.home).close();
    const none = await folder.run(["estimate"]);
    expect(none.err).toContain("OpenCode has no session yet.");
    storeHost(folder, [{ id: "ses_a", calls: 4 }]);
    const short = await folder.run(["estimate"]);
    expect(short.exitCode).toBe(4);
    expect(short.err).toContain("No session here has 10 calls yet");
    const elsewhere = folders.make();
    storeHost(elsewhere, [{ id: "ses_a", calls: 12, directory: "/elsewhere" }]);
    const here = await elsewhere.run(["estimate", "--here"]);
    expect(here.exitCode).toBe(4);
    expect(here.err).toContain("Leave out --here: it has 1 session elsewhere.");
  });

  test("a session with a broken row is left out by name, and the others count", async () => {
    const folder = folders.make();
    storeHost(folder, [
      { id: "ses_b", calls: 12 },
      { id: "ses_a", calls: 12 },
    ]);
    const driver = openHostDatabase(folder.home);
    driver.run("UPDATE part SET data = '{\"type\"' WHERE id = 'prt_ses_b_000004'");
    const { sessions, leftOut } = await estimated(folder);
    expect(sessions).toHaveLength(1);
    expect(leftOut.unreadable).toEqual([
      { sessionId: "ses_b" as SessionId, reason: expect.stringContaining("JSON") },
    ]);
    driver.run("DELETE FROM session WHERE id = 'ses_a'");
    storeSessionRow(driver, { id: "ses_x", title: "", directory: "/", updatedMs: 1 });
    driver.close();
    const { err } = await folder.run(["estimate"]);
    expect(err).toContain("The first is ses_b:");
  });
});
