import { describe, expect, test } from "bun:test";
import { emptySnapshot } from "../../src/context/snapshot.ts";
import type { Edit } from "../../src/ledger/edit.ts";
import {
  type BoundaryInputs,
  createHistoryDraft,
  type NamedDraft,
} from "../../src/ledger/entry.ts";
import type { Policy, Proposal } from "../../src/ledger/policy.ts";
import { commitDecision, rankDrafts } from "../../src/session/commit.ts";
import { prepareEdits, prepareOpening } from "../../src/session/opening.ts";
import {
  pickHeldLedger,
  type SessionState,
  SessionStates,
} from "../../src/session/session-state.ts";
import { viewSession } from "../../src/session/view.ts";
import type { RuntimeDatabase } from "../../src/storage/database.ts";
import { fold, insert, text, user } from "../ledger/history.ts";
import { entryRecord, epochRecord, session } from "../storage/records.ts";
import { Workspace } from "../storage/workspace.ts";

const workspace = new Workspace();
const ledger = { epochs: [epochRecord(1)], entries: [entryRecord(2, 1)] };
const named = (edit: Edit, origin = "own"): NamedDraft => ({ ...createHistoryDraft(edit), origin });
const folding = fold("u1", "u2", "They talked.");

const fail = (error: unknown) => {
  throw error;
};

function createMemory(database: RuntimeDatabase): SessionState {
  const memories = new SessionStates(
    () => database,
    () => ({}) as SessionState["sources"],
    () => undefined,
    () => undefined,
  );
  return memories.getOrCreate(session);
}

describe("a decision is stored and taken into memory: both or neither", () => {
  const proposal = (id: number): Proposal => ({ id, kind: "k", urgency: "waits", output: null });

  test("proposals that are done with are forgotten, and the others wait on", () => {
    const { database } = workspace.withEpoch();
    const memory = createMemory(database);
    memory.proposals = [proposal(1), proposal(2), proposal(3)];
    const change = { expectedSeq: 1, epoch: null, entries: [] };
    expect(commitDecision(database, memory, { ...change, settled: [] })).toBe("committed");
    expect(memory.proposals).toHaveLength(3);
    expect(commitDecision(database, memory, { ...change, settled: [1, 3] })).toBe("committed");
    expect(memory.proposals).toEqual([proposal(2)]);
  });

  test("an epoch takes up what was prepared for one; entries alone leave it prepared", () => {
    const { database } = workspace.withEpoch();
    const memory = createMemory(database);
    memory.prepared = [{ origin: "own", edit: folding }];
    const entries = [entryRecord(2, 1)];
    commitDecision(database, memory, { expectedSeq: 1, epoch: null, entries, settled: [] });
    expect([memory.prepared.length, memory.ledger.entries]).toEqual([1, entries]);
    const epoch = epochRecord(3);
    commitDecision(database, memory, { expectedSeq: 2, epoch, entries: [], settled: [] });
    expect([memory.prepared, memory.ledger.epochs.at(-1)]).toEqual([[], epoch]);
  });

  test("where another process came first, memory stays as it was", () => {
    const { database } = workspace.withEpoch();
    const memory = createMemory(database);
    const before = memory.ledger;
    const change = { expectedSeq: 7, epoch: epochRecord(8), entries: [], settled: [] };
    expect(commitDecision(database, memory, change)).toBe("lost");
    expect(memory.ledger).toBe(before);
  });

  test("entries come after all that is stored, one after the other; a fold has its end on record", () => {
    const place = { sessionId: session, epochSeq: 1, afterSeq: 4, decidedAtMs: 9 };
    const ranked = rankDrafts([named(folding), named(insert("u3", "x"))], place);
    expect(
      ranked.map(({ seq, messageId, endMessageId }) => [seq, messageId, endMessageId]),
    ).toEqual([
      [5, "u1", "u2"],
      [6, "u3", null],
    ]);
  });
});

describe("an epoch's first call", () => {
  const messages: never = [
    user("u1", text("a")),
    user("u2", text("b")),
    user("u3", text("c")),
  ] as never;

  function opened(cause: "folded" | "model", drafts: readonly NamedDraft[]) {
    const { database } = workspace.withEpoch();
    const memory = createMemory(database);
    const location = ledger.epochs[0]?.location ?? { directory: "", worktree: "" };
    const history = { messages, held: messages, head: { kind: "whole" } } as const;
    const viewed = viewSession({ ...pickHeldLedger(memory), location, ...history });
    const view = { ...viewed, startMessageId: "s" };
    const call = { ...history, view, facts: {}, sent: new Set(), unsent: [] };
    const boundary = { kind: cause === "folded" ? "worth" : cause };
    const what = { kind: "opening", cause, boundary } as const;
    const decision = { ...what, drafts, observed: [], deferred: [], settled: [] };
    const given = { ...call, facts: { startedAtMs: 7 }, historyIds: [] } as never;
    const array: unknown[] = [...messages];
    const on: BoundaryInputs = { messages: array } as never;
    const { opening, facts } = prepareOpening(given, decision as never, {
      on,
      pendingDrafts: null,
    });
    const projected = facts.messages;
    // As the host's array ends: it holds what is sent.
    array.splice(0, array.length, ...projected);
    return { projected, ...opening, rewrite: facts.rewrite };
  }

  test("with a fold is tied to the fold's end, or to the summary where it began without one", () => {
    const kept = named(insert("u3", "x"));
    expect(opened("folded", [kept, named(folding)]).startMessageId).toBe("u2");
    expect(opened("folded", [kept, { ...kept, edit: null }]).startMessageId).toBe("s");
    expect(opened("model", [named(folding)]).startMessageId).toBe("s");
  });

  test("with a fold gives up a cache that may be warm: its bill is explained by it", () => {
    expect(opened("folded", [named(folding)]).rewrite).toEqual({ boundary: "worth", atMs: 7 });
    expect(opened("model", [named(folding)]).rewrite).toBeNull();
  });

  test("keeps what was decided on, whatever becomes of the host's array until the epoch is stored", () => {
    expect(opened("folded", [named(folding)]).on.messages).toEqual(messages);
  });

  test("shows the edits that it begins with, and without any the very messages of the host", () => {
    expect(opened("folded", [named(folding)]).projected).toHaveLength(1);
    expect(opened("model", []).projected).toBe(messages);
  });

  test("gives what replay makes the ids that the stored entries will give it", () => {
    const drafts = [named(insert("u1", "x")), named(insert("u2", "y"))];
    const made = opened("model", drafts).projected.flatMap(({ parts }) =>
      parts.map(({ id }) => id),
    );
    const place = { sessionId: session, epochSeq: 2, afterSeq: 2, decidedAtMs: 9 };
    for (const { seq } of rankDrafts(drafts, place)) {
      expect(made.some((id) => new RegExp(`(^|\\D)0*${seq}(\\D|$)`).test(id))).toBe(true);
    }
  });
});

describe("the session's own edits are on disk before they are sent", () => {
  const policies: readonly Policy[] = [
    { name: "own", scope: "session", draft: () => [] },
    { name: "epochs", scope: "epoch", draft: () => [] },
  ];

  function stage() {
    const { database } = workspace.withEpoch();
    const failures: unknown[] = [];
    const deps = {
      policies: () => policies,
      storageFailed: (error: unknown) => failures.push(error),
    };
    return { database, failures, deps: { ...deps, database: () => database } };
  }

  test("those and no others; once is enough", () => {
    const { database, deps } = stage();
    const memory = createMemory(database);
    const witness = { ...named(folding), edit: null, delta: emptySnapshot };
    const drafts = [named(folding), named(insert("u3", "x"), "epochs"), witness];
    expect(prepareEdits(deps, memory, { drafts, settled: [], atMs: 5 })).toBe("stored");
    const stored = database.ledger.prepared(session, fail);
    expect(stored).toEqual([{ origin: "own", edit: folding }]);
    expect(memory.prepared).toEqual(stored);
    const gone = {
      ...deps,
      database: () => {
        throw new Error("asked again");
      },
    };
    expect(prepareEdits(gone, memory, { drafts, settled: [], atMs: 6 })).toBe("stored");
    expect(prepareEdits(gone, memory, { drafts: [], settled: [], atMs: 7 })).toBe("stored");
  });

  test("with them go the proposals that they take: what waits beside them has come since", () => {
    const { database, deps } = stage();
    const propose = (kind: string) =>
      database.proposals.add({ sessionId: session, kind, urgency: "command", output: null }, 1);
    propose("taken");
    propose("later");
    const memory = createMemory(database);
    const [taken, later] = database.proposals.waiting(session);
    const proposals = [taken, later].flatMap((one) => one ?? []);
    Object.assign(memory, { proposals });
    prepareEdits(deps, memory, { drafts: [named(folding)], settled: [taken?.id ?? 0], atMs: 5 });
    expect(database.proposals.waiting(session)).toEqual(proposals.slice(1));
    expect(memory.proposals).toEqual(proposals.slice(1));
  });

  test("what can't be stored is reported, and may not be sent", () => {
    const { database, deps, failures } = stage();
    const memory = createMemory(database);
    database.close();
    expect(prepareEdits(deps, memory, { drafts: [named(folding)], settled: [], atMs: 5 })).toBe(
      "failed",
    );
    expect([failures.length, memory.prepared]).toEqual([1, []]);
  });
});
