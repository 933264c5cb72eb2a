import { describe, expect, test } from "bun:test";
import { createRewriteHooks } from "../../../src/features/history/create-history.ts";
import { createRewriteStore } from "../../../src/features/history/rewrite-store.ts";
import { historySection } from "../../../src/features/history/section.ts";
import { shortenPastes } from "../../../src/history/pasted-text.ts";
import type { BoundaryDecision } from "../../../src/ledger/entry.ts";
import { usualRates } from "../../../src/ledger/space.ts";
import type { Notice } from "../../../src/log/notices.ts";
import type { RuntimeDatabase } from "../../../src/storage/database.ts";
import { settings } from "../../history/simulation.ts";
import { otherSession, outcome, session, turnRecord, usage } from "../../storage/records.ts";
import { catchStorageError, Workspace } from "../../storage/workspace.ts";
import { rewriteRecord } from "./records.ts";

const workspace = new Workspace();

function opened(database: RuntimeDatabase) {
  const told: Notice[] = [];
  const mention = (notice: Notice) => void told.push(notice);
  const notices = { mention, notice: () => undefined, over: () => undefined, all: () => [] };
  const handle = { current: () => database, ensure: async () => undefined, path: "" };
  const { decided } = createRewriteHooks({ database: handle, notices }, settings);
  if (!decided) throw new Error("no hook");
  const decide = (what: BoundaryDecision) => decided(session, what);
  return { told, decide, fold: (seq: number) => decide(folded(seq)) };
}

const messages = ["m1", "m2", "m3"].map((id) => ({
  info: { id, sessionID: session, role: "user" as const },
  parts: [
    { id: `p_${id}`, messageID: id, sessionID: session, type: "text", text: "said ".repeat(99) },
  ],
}));

function folded(seq: number): BoundaryDecision {
  const edit = { verb: "fold", first: "m1", last: "m2", text: "In short." } as const;
  const said = {
    origin: "history",
    messageId: "m1",
    partId: null,
    announced: [],
    delta: {},
  } as const;
  const entry = { seq, edit, ...said };
  return {
    ...{ messages, boundary: { kind: "command" }, watermark: null, former: [] },
    space: { estimatedTokens: 0, usableTokens: null, rates: usualRates },
    ...{ epochSeq: 1, atMs: 10 * seq, entries: [entry], standing: [entry] },
  };
}

describe("the record of rewrites", () => {
  test("is kept with the session, and survives the end of the process", () => {
    const { path, database } = workspace.withEpoch();
    opened(database).fold(2);
    const [kept] = workspace.open(path).store(createRewriteStore).of(session);
    expect(kept).toMatchObject({ seq: 2, reason: "asked", folds: 1, foldedMessages: 2 });
    expect(database.store(createRewriteStore).of(otherSession)).toEqual([]);
    database.sessions.remove(session);
    expect(database.store(createRewriteStore).of(session)).toEqual([]);
  });

  test("a rewrite is on record once, as it was first", () => {
    const { database } = workspace.withEpoch();
    const store = database.store(createRewriteStore);
    store.append(rewriteRecord(2));
    store.append(rewriteRecord(2, { costTokens: 5 }));
    expect(store.of(session)).toEqual([rewriteRecord(2)]);
  });

  test("a row that can't be read is named by table and key", () => {
    const { database, driver } = workspace.withEpoch();
    database.store(createRewriteStore).append(rewriteRecord(2));
    driver.exec("PRAGMA ignore_check_constraints = ON; UPDATE rewrite SET reason = 'whim'");
    const error = catchStorageError(() => database.store(createRewriteStore).of(session));
    expect(error.message).toContain("rewrite (ses_one, 2): reason (not a known value)");
  });
});

describe("the notice of a first fold", () => {
  test("comes once for a session, also over a restart", () => {
    const { path, database } = workspace.withEpoch();
    const one = opened(database);
    one.fold(2);
    one.fold(4);
    const other = opened(workspace.open(path));
    other.fold(6);
    expect([...one.told, ...other.told].map(({ code }) => code)).toEqual([
      "history_first_fold:ses_one",
    ]);
    const [notice] = one.told;
    expect(notice?.severity).toBe("info");
    expect(notice?.remedy).toContain('"history": { "rewrite": "off" }');
  });
});

describe("the notice of prompts that were cut", () => {
  const cut = (seq: number, text: string): BoundaryDecision => {
    const before = folded(seq);
    const [entry] = before.entries;
    if (!entry) throw new Error("no entry");
    const edit = { verb: "replace", at: { messageId: "m1", partId: "p_m1" }, text } as const;
    const entries = [{ ...entry, edit, partId: "p_m1" }];
    return { ...before, entries, standing: entries };
  };
  const listNoticeCodes = (decided: BoundaryDecision) => {
    const { database } = workspace.withEpoch();
    const { told, decide } = opened(database);
    decide(decided);
    return told.map(({ code }) => code);
  };

  test("says that the user's own words are sent by their ends", () => {
    expect(listNoticeCodes(cut(2, "said [400 characters are not shown here] said"))).toEqual([
      "history_prompts_shortened:ses_one",
    ]);
  });

  test("says nothing of a paste, nor of a fold", () => {
    const log = Array.from({ length: 400 }, (_, at) => `[${at}] GET /orders 200`).join("\n");
    const [first, ...others] = messages;
    const pasted = first && {
      ...first,
      parts: first.parts.map((part) => ({ ...part, text: `See this:\n${log}` })),
    };
    const text = shortenPastes(`See this:\n${log}`, "p_m1", settings.wayBack) ?? "";
    expect(
      listNoticeCodes({ ...cut(2, text), messages: pasted ? [pasted, ...others] : [] }),
    ).toEqual([]);
    expect(listNoticeCodes(folded(2))).toEqual(["history_first_fold:ses_one"]);
  });
});

describe("the status", () => {
  test("says nothing of a session whose history is as it was", () => {
    const { driver } = workspace.withEpoch();
    expect(historySection(driver)(session, 0, null)).toBeNull();
  });

  test("lists the newest rewrites, and sums up all of them", () => {
    const { database, driver } = workspace.withEpoch();
    const store = database.store(createRewriteStore);
    for (let seq = 2; seq < 9; seq++) store.append(rewriteRecord(seq, { atMs: 10 * seq }));
    database.turns.append(turnRecord(1_000));
    database.turns.settle(session, outcome(1_000, usage, null));
    const section = historySection(driver)(session, 60_000, null);
    expect(section?.text.split("\n")).toEqual([
      "3 old parts dropped. Each call is spared about 70,000 tokens.",
      "The newest 6,000 tokens are sent verbatim.",
      ...Array.from(
        { length: 5 },
        () =>
          "· 59 s ago, as it paid: 3 parts dropped; cost 2,000, spares 10,000 a call, 1,000 in 1 call so far",
      ),
      "(2 older: `history` on the command line lists them)",
      "7 rewrites cost 14,000 and spared 7,000, in tokens at the price of uncached input.",
    ]);
    expect(section).toMatchObject({
      ...{ label: "History", short: "spares 70,000 tokens a call" },
      mark: { word: "dropped", atMs: 80 },
    });
  });
});
