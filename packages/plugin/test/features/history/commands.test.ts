import { describe, expect, test } from "bun:test";
import { defaults } from "../../../src/config/defaults.ts";
import type { FeatureContext } from "../../../src/feature-api/feature-context.ts";
import { proposeFold } from "../../../src/features/history/fold-command.ts";
import { historyCli } from "../../../src/features/history/history-cli.ts";
import { renderHistoryReport } from "../../../src/features/history/history-report.ts";
import { createRewriteStore } from "../../../src/features/history/rewrite-store.ts";
import { planFree } from "../../../src/history/plan.ts";
import { FOLD_NOW } from "../../../src/history/policy.ts";
import { renderInstalledCommand } from "../../../src/log/notices.ts";
import type { ReportDeps } from "../../../src/status/report.ts";
import type { RuntimeDatabase } from "../../../src/storage/database.ts";
import type { Driver } from "../../../src/storage/driver.ts";
import type { EntryRecord } from "../../../src/storage/ledger-table.ts";
import { output, ran, SimulatedSession, said, settings } from "../../history/simulation.ts";
import { session as id } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";
import { rewriteRecord } from "./records.ts";

const workspace = new Workspace();
const NOW = 100_000;

function talk(turns: number): SimulatedSession {
  const session = new SimulatedSession(168_000, null);
  for (let turn = 0; turn < turns; turn++) bigTurn(session, turn);
  return session;
}

function bigTurn(session: SimulatedSession, turn: number): void {
  session.prompt(`Prompt ${turn}`);
  session.call(said("I look."), ran(`check ${turn}`, output(`${turn}`, 8_000)));
  session.call(said(`Part ${turn} is fine.`));
}

function createFeatureContext(database: RuntimeDatabase, session: SimulatedSession) {
  const nextCall = async () => (session.messages.length === 0 ? null : session.view());
  const propose: FeatureContext["propose"] = (proposal) => database.proposals.add(proposal, NOW);
  return { nextCall, propose, written: () => [] };
}

/** How many messages the plan for now folds. */
function foldedBy(session: SimulatedSession): number {
  const input = { ...session.view(), written: [] };
  const ids = input.messages.map(({ info }) => info.id);
  const folds = planFree(input, settings, "asked")?.folds ?? [];
  return folds.reduce(
    (sum, { first, last }) => sum + ids.indexOf(last) - ids.indexOf(first) + 1,
    0,
  );
}

const asks = (args = "") => ({ sessionId: id, args });

describe("/ctx-fold", () => {
  test("waits for the next message, and says what it will do and spare", async () => {
    const { database } = workspace.withEpoch();
    const session = talk(20);
    const { text, shownBy } = await proposeFold(
      createFeatureContext(database, session),
      settings,
      asks(),
    );
    expect(shownBy).toBe("note");
    expect(text).toMatch(
      /^At your next message: \d+ messages folded into a record\. Each call is spared about [\d,]+ tokens from then on\. That call pays up to [\d,]+ more, in input tokens\. Nothing is lost/,
    );
    expect(database.proposals.waiting(id)).toMatchObject([{ kind: FOLD_NOW, urgency: "command" }]);
    const spared = Number(/about ([\d,]+) tokens/.exec(text)?.[1]?.replaceAll(",", ""));
    const before = session.send();
    const rest = session.view({ kind: "command" });
    expect(Number(/^At your next message: (\d+) /.exec(text)?.[1])).toBe(foldedBy(session));
    expect(spared).toBeGreaterThan(20_000);
    expect(spared).toBeLessThan(before);
    expect(rest.boundary.kind).toBe("command");
  });

  test("says that a fold would not pay, what it costs and spares, and makes it only with `anyway`", async () => {
    const { database } = workspace.withEpoch();
    const session = talk(0);
    session.prompt("Why?");
    session.call(said("I look."), ran("why", output("why", 1_300)));
    session.call(said("That is why."));
    for (let turn = 0; turn < 4; turn++) bigTurn(session, turn);
    const context = createFeatureContext(database, session);
    const roomy = { ...settings, keepTokens: 8_000 };
    const { text, shownBy } = await proposeFold(context, roomy, asks());
    expect(shownBy).toBe("note");
    const [why, ...places] = text.split("\n\n");
    expect(why).toBe(
      "Folding would not pay off now. Your next message would cost up to 9,400 input tokens more, and each call after it would read about 285 fewer from the cache, which is cheap: it takes 330 calls to earn that back. Nothing was changed. To fold anyway, send `/ctx-fold anyway`.",
    );
    expect(places.join("\n")).toBe(
      [
        "`/ctx-fold before` and a number folds all work before that prompt:",
        "1. “Prompt 3”: spares about 6,165 tokens",
        "2. “Prompt 2”: spares about 4,205 tokens",
        "3. “Prompt 1”: spares about 2,245 tokens",
        "4. “Prompt 0”: spares about 285 tokens",
        "5. “Why?”: nothing to fold",
      ].join("\n"),
    );
    expect(database.proposals.waiting(id)).toEqual([]);
    expect((await proposeFold(context, roomy, asks("now"))).text).toStartWith("Type `/ctx-fold`");
    expect(database.proposals.waiting(id)).toEqual([]);
    expect((await proposeFold(context, roomy, asks(" anyway "))).text).toStartWith(
      "At your next message: ",
    );
    expect(database.proposals.waiting(id)).toMatchObject([{ kind: FOLD_NOW, urgency: "command" }]);
  });

  test("asked twice before it, one waits, whatever else waits", async () => {
    const { database } = workspace.withEpoch();
    const context = createFeatureContext(database, talk(20));
    const other = { urgency: "waits", sessionId: id, output: null } as const;
    context.propose({ ...other, kind: "another" });
    await proposeFold(context, settings, asks());
    expect(database.proposals.waiting(id).map(({ kind }) => kind)).toEqual(["another", FOLD_NOW]);
    context.propose({ ...other, kind: "third" });
    await proposeFold(context, settings, asks());
    expect(database.proposals.waiting(id)).toHaveLength(3);
  });

  test("says so where there is nothing to fold, and leaves the cache alone", async () => {
    const { database } = workspace.withEpoch();
    for (const turns of [0, 1]) {
      const { text } = await proposeFold(
        createFeatureContext(database, talk(turns)),
        settings,
        asks(),
      );
      expect(text).toStartWith("There is nothing to fold");
    }
    expect(database.proposals.waiting(id)).toEqual([]);
  });
});

const FOLD =
  "<session-history>\nA record.\n\n[h:abc123 · 2 messages · fix]\nAsked: mend it.\n\n[h:def456 · 9 messages]\n</session-history>";

function entry(seq: number, edit: EntryRecord["edit"], origin = "history"): EntryRecord {
  const told = { announced: [], delta: {} };
  const place = { messageId: "m1", partId: null, endMessageId: null };
  return { sessionId: id, seq, epochSeq: 1, origin, edit, ...place, ...told, decidedAtMs: 5 };
}

function stored(): RuntimeDatabase {
  return filled().database;
}

function filled() {
  const { database, driver } = workspace.withEpoch();
  const stub = "[bash npm test: 40 lines, not shown any more. ctx_expand r:k3f9ab shows it]";
  database.ledger.commit({
    ...{ sessionId: id, expectedSeq: 1, epoch: null },
    entries: [
      { ...entry(2, { verb: "fold", first: "m1", last: "m2", text: FOLD }), endMessageId: "m2" },
      entry(3, { verb: "replace", at: { messageId: "m3", partId: "p3" }, text: stub }),
      entry(4, { verb: "omit", at: { messageId: "m4", partId: "p4" } }, "take-proposals"),
      entry(5, { verb: "replace", at: { messageId: "m5", partId: "p5" }, text: "cut" }, "bound"),
    ],
  });
  const gone = { folds: 1, foldedMessages: 11, foldTokens: 40, droppedParts: 2 };
  database.store(createRewriteStore).append(rewriteRecord(2, { ...gone, lastMessageId: "m2" }));
  return { database, driver };
}

function asked(database: RuntimeDatabase, shown: ReportDeps["shown"]): ReportDeps {
  const deps: Partial<ReportDeps> = {
    ...{ sessionId: id, nowMs: NOW, database: () => database, shown },
  };
  return deps as ReportDeps;
}

function report(
  database: RuntimeDatabase,
  shown: ReportDeps["shown"],
  nextCall: FeatureContext["nextCall"] = async () => null,
) {
  const log = { warn: () => undefined };
  const findSegment = async (_: string, ref: string) => ({
    events: ref === "h:abc123" ? ["decision: Round once."] : [],
  });
  const context = { nextCall, written: () => [], log, findSegment } as never;
  return renderHistoryReport(context, settings, asked(database, shown));
}

describe("session-runtime history", () => {
  const run = (driver: Driver, session: string) =>
    historyCli.run({
      ...{
        given: new Map([["session", session]]),
        driver,
        directory: "/project",
        nowMs: NOW,
        typed: renderInstalledCommand,
      },
      ...{ env: {}, config: async () => defaults },
    });

  test("has the figures, segments, drops, folds and rewrites as values too", async () => {
    const { database, driver } = filled();
    const later = { atMs: 90_000, drops: 1, folds: 0, regretTokens: 7, sparedTokens: 9 };
    database.store(createRewriteStore).append(rewriteRecord(6, { ...later, droppedParts: 3 }));
    const { text, values } = await run(driver, id);
    expect(text).toContain("Rewrites: 2");
    // The tail as the newest rewrite has left it.
    expect(text.replaceAll(/\s+/g, " ")).toContain("has lately cost 7, against 9 spared.");
    const totals = { savedTokensPerCall: 20_000, foldedMessages: 0, foldTokens: 0 };
    expect(values).toMatchObject({
      ...{ sessionId: id, ...totals, droppedParts: 3, costTokens: 4_000, savedTokens: 0 },
      folds: [{ first: "m1", last: "m2", text: FOLD }],
      drops: [{ messageId: "m3" }, { messageId: "m4", stub: null }],
    });
    expect(Reflect.get(values, "segments")).toEqual([
      { ref: "h:abc123", messages: 2, kind: "fix", text: "Asked: mend it." },
      { ref: "h:def456", messages: 9, kind: null, text: "" },
    ]);
    const [first] = Reflect.get(values, "rewrites") as readonly object[];
    expect(first).toMatchObject({ seq: 2, savedTokensPerCall: 10_000, savedTokens: 0 });
    expect(first).not.toHaveProperty("sessionId");
  });

  test("of a session that was never rewritten has no figure but 0", async () => {
    const { driver } = workspace.withEpoch();
    const zeros = { savedTokensPerCall: 0, foldedMessages: 0, foldTokens: 0, droppedParts: 0 };
    const lists = { segments: [], drops: [], folds: [], rewrites: [] };
    for (const session of [id, "ses_unknown"]) {
      expect((await run(driver, session)).values).toEqual({
        ...{ sessionId: session, ...zeros, ...lists, costTokens: 0, savedTokens: 0 },
      });
    }
  });
});

describe("/ctx-history", () => {
  test("shows what the model has, segment by segment, and what was dropped with its refs", async () => {
    const database = stored();
    const messageIds = new Set(["m1", "m2", "m3", "m4"]);
    const shown = { epochSeq: 1, entrySeqs: new Set([2, 3, 4, 5]), messageIds };
    const { text, summary } = await report(database, shown);
    const lines = text.split("\n");
    expect(lines.slice(0, 2)).toEqual(["Session Runtime: history of ses_one", "─".repeat(35)]);
    expect(text).toContain(
      "  h:abc123  2 messages     fix\n      · decision: Round once.\n  h:def456  9 messages                faded",
    );
    expect(text).toContain("Dropped: 2\n  r:");
    expect(text).toContain("left out");
    expect(text).not.toContain("cut");
    expect(text).toContain("Rewrites: 1\n  · 99 s ago, as it paid");
    expect(text).toEndWith(`As the model sees it\n\n${FOLD}`);
    expect(summary).toStartWith("11 messages folded into a record of about 40 tokens");
  });

  test("what an undo took back is not shown as what the model has", async () => {
    const shown = { epochSeq: 1, entrySeqs: new Set<number>(), messageIds: new Set<string>() };
    const { text, summary } = await report(stored(), shown);
    expect(text.replaceAll(/\s+/g, " ")).toContain("older messages folded; taken back by an undo");
    expect(text).not.toContain("As the model sees it");
    expect(summary).toBe("Nothing of this session is folded or dropped: the model has all of it.");
  });

  test("says how much stays as it was said, also before anything has gone; without the host, nothing of it", async () => {
    const { database } = workspace.withEpoch();
    const { text } = await report(database, null, async () => talk(3).view());
    expect(text).toMatch(/\n\nThe newest [\d,]+ tokens are sent verbatim\.$/);
    const gone = () => Promise.reject(new Error("the host is gone"));
    expect((await report(database, null, gone)).text).not.toContain("as it was said");
  });

  test("says so where nothing was ever folded or dropped", async () => {
    const { database } = workspace.withEpoch();
    const { text } = await report(database, null);
    expect(text.replaceAll("\n", " ")).toEndWith("the model has all of it.");
  });
});
