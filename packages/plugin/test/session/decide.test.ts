import { describe, expect, test } from "bun:test";
import { toSourceKey } from "../../src/context/key.ts";
import { emptySnapshot } from "../../src/context/snapshot.ts";
import { withBoundedFailures } from "../../src/ledger/bound-failures.ts";
import { findWatermark } from "../../src/ledger/boundary.ts";
import type { Edit } from "../../src/ledger/edit.ts";
import { createHistoryDraft, type Draft, type NamedDraft } from "../../src/ledger/entry.ts";
import type { BoundaryView, Policy, Proposal } from "../../src/ledger/policy.ts";
import { usualRates } from "../../src/ledger/space.ts";
import { decideBoundary } from "../../src/session/boundary.ts";
import { classifyHead, type SessionMessage } from "../../src/session/history.ts";
import { type BoundaryInput, type Decision, viewSession } from "../../src/session/view.ts";
import type { EntryRecord } from "../../src/storage/ledger-table.ts";
import {
  assistant,
  done,
  failed,
  fold,
  insert,
  omit,
  replace,
  text,
  user,
} from "../ledger/history.ts";
import { epochRecord, session } from "../storage/records.ts";

const messages = [
  user("u1", text("fix the bug")),
  assistant("a1", text("I look."), done("c1", "long"), done("c2", "long too")),
  user("u2", text("go on")),
] as readonly object[] as readonly SessionMessage[];

/** All but the newest prompt. */
const sent = new Set(["u1", "a1"]);

const epoch = { ...epochRecord(1), parts: [], snapshot: emptySnapshot };

const drop: Edit = replace("a1.1", "[dropped]");

function entry(seq: number, origin: string, edit: Edit | null, partId: string | null = null) {
  const { messageId, ...anchor } =
    edit === null ? { messageId: "a1" } : createHistoryDraft(edit).anchor;
  const place = edit === null ? { messageId, partId } : { messageId, ...anchor };
  const record: Omit<EntryRecord, "partId"> & { partId?: string | null } = {
    ...{ sessionId: session, seq, epochSeq: 1, origin, ...place, endMessageId: null },
    ...{ edit, announced: [], delta: emptySnapshot, decidedAtMs: 0 },
  };
  return record as EntryRecord;
}

function createView(entries: readonly EntryRecord[], history = messages) {
  return viewSession({
    ledger: { epochs: [epoch], entries, damagedSeqs: [] },
    messages: history,
    held: history,
    head: classifyHead(history),
    location: epoch.location,
    lastEpochSeq: 1,
  });
}

interface Changes extends Partial<BoundaryInput> {
  readonly view?: ReturnType<typeof createView>;
}

function input(changes: Changes = {}): BoundaryInput {
  const { view = createView([]) } = changes;
  return {
    ...{ view, projected: view.projected, messages, observed: [], policies: [] },
    watermark: findWatermark(messages, sent),
    ...{
      witnessed: [],
      shownIn: () => [],
      boundedTexts: new Map(),
      coldPauseMs: null,
      modelCache: "usual",
    },
    ...{ hostPrune: "off", withheld: null, asked: null, proposals: [], prepared: [] },
    space: { estimatedTokens: 0, usableTokens: null, rates: usualRates },
    ...changes,
  };
}

function policy(name: string, scope: Policy["scope"], ...drafts: readonly Draft[]): Policy {
  return { name, scope, draft: () => drafts };
}

/** A policy that drafts nothing, and the views that it was asked with. */
function watching(): { readonly policies: readonly Policy[]; readonly views: BoundaryView[] } {
  const views: BoundaryView[] = [];
  const draft = (view: BoundaryView) => {
    views.push(view);
    return [];
  };
  return { policies: [{ name: "watching", scope: "epoch", draft }], views };
}

const of = (proposal: number, edit: Edit): Draft => ({ ...createHistoryDraft(edit), proposal });
const waiting = (id: number): Proposal => ({ id, kind: "k", urgency: "waits", output: null });
const edits = (drafts: readonly NamedDraft[]) => drafts.map(({ edit }) => edit);

function steady(decision: Decision) {
  if (decision.kind !== "steady") throw new Error(`a new epoch: ${decision.cause}`);
  return decision;
}

function opening(decision: Decision) {
  if (decision.kind !== "opening") throw new Error("no new epoch");
  return decision;
}

test("I17, I23: policies see what failed calls say bounded already, in an epoch and at an opening", () => {
  const error = "e".repeat(9_000);
  const history = [...messages, assistant("a9", failed("c9", error))];
  const boundedTexts = new Map([["a9.0", "[short]"]]);
  const bounded = { messages: history as never, boundedTexts };
  for (const asked of [null, "model"] as const) {
    const { policies, views } = watching();
    decideBoundary(
      input({
        ...bounded,
        policies,
        asked,
        projected: withBoundedFailures(history, boundedTexts, []),
      }),
    );
    const sent = JSON.stringify(views[0]?.projected);
    expect(sent).toContain("[short]");
    expect(sent).not.toContain(error);
  }
});

describe("which boundary a call is at", () => {
  const rates = usualRates;
  const pressed = { estimatedTokens: 91, usableTokens: 100, rates };
  const command: Proposal = { ...waiting(1), urgency: "command" };
  const paying: Policy = { ...policy("paying", "session"), pays: () => true };
  const undone = createView([entry(2, "p", insert("gone", "x"))]);
  const rows: readonly (readonly [string, Changes, object])[] = [
    ["an ordinary one", {}, { kind: "ordinary" }],
    ["one after an undo", { view: undone }, { kind: "reverted" }],
    [
      "an ordinary one, where what was decided before stands",
      { view: createView([entry(2, "p", insert("u2", "x"))]) },
      { kind: "ordinary" },
    ],
    ["one that a policy says is worth it", { policies: [paying] }, { kind: "worth" }],
    [
      "one under pressure, whatever is worth it",
      { space: pressed, policies: [paying] },
      { kind: "pressure" },
    ],
    ["one under pressure, over an undo", { space: pressed, view: undone }, { kind: "pressure" }],
    [
      "one of a command, over pressure",
      { space: pressed, proposals: [command] },
      { kind: "command" },
    ],
    ["not of a proposal that can wait", { proposals: [waiting(1)] }, { kind: "ordinary" }],
    ["of one command among others", { proposals: [waiting(2), command] }, { kind: "command" }],
    [
      "one after a pause, over all",
      { coldPauseMs: 9, proposals: [command] },
      { kind: "idle", idleMs: 9 },
    ],
    [
      "nine tenths of the room are free to use",
      { space: { estimatedTokens: 90, usableTokens: 100, rates } },
      { kind: "ordinary" },
    ],
    [
      "an unknown feature is never full",
      { space: { estimatedTokens: 9e9, usableTokens: null, rates } },
      { kind: "ordinary" },
    ],
  ];
  test.each(rows)("%s", (_name, changes, boundary) => {
    expect(steady(decideBoundary(input(changes))).boundary).toEqual(boundary as never);
  });
});

describe("what is drafted before the watermark waits while the cache is warm", () => {
  test("it is deferred, and what comes after the watermark is taken", () => {
    const next = insert("u2", "news");
    const policies = [policy("p", "session", createHistoryDraft(drop), createHistoryDraft(next))];
    const decision = steady(decideBoundary(input({ policies })));
    expect([edits(decision.drafts), edits(decision.deferred)]).toEqual([[next], [drop]]);
  });

  test("where all may be taken, all are, and nothing waits", () => {
    const next = createHistoryDraft(insert("u2", "news"));
    const decision = steady(decideBoundary(input({ policies: [policy("p", "session", next)] })));
    expect([edits(decision.drafts), decision.deferred]).toEqual([[next.edit], []]);
  });

  test("of a proposal all drafts wait, or none; others, and those of no proposal, don't wait with it", () => {
    const [first, second, third] = [insert("u2", "1"), insert("u2", "2"), insert("u2", "3")];
    const policies = [
      policy("p", "session", of(1, drop), of(1, first), of(2, second), createHistoryDraft(third)),
    ];
    const proposals = [waiting(1), waiting(2)];
    const decision = steady(decideBoundary(input({ policies, proposals })));
    expect(edits(decision.deferred)).toEqual([drop, first]);
    expect(edits(decision.drafts)).toEqual([second, third]);
    expect(decision.settled).toEqual([2]);
  });

  test("a draft of no proposal that waits holds back no others of no proposal", () => {
    const next = insert("u2", "news");
    const policies = [
      policy("p", "session", createHistoryDraft(drop), createHistoryDraft(next), of(7, next)),
    ];
    expect(edits(steady(decideBoundary(input({ policies }))).drafts)).toEqual([next, next]);
  });

  test("a proposal of which nothing was drafted is stale, and done with", () => {
    expect(steady(decideBoundary(input({ proposals: [waiting(4), waiting(5)] }))).settled).toEqual([
      4, 5,
    ]);
  });
});

describe("what policies see of an undo", () => {
  test("nothing, as long as all that was told stands", () => {
    const { policies, views } = watching();
    decideBoundary(input({ policies, view: createView([entry(2, "p", insert("u2", "x"))]) }));
    expect(views[0]?.undo).toBeNull();
  });
});

describe("a fold that is admitted", () => {
  const cold = { coldPauseMs: 600_000 };
  const folding = fold("u1", "a1", "They looked.");
  /** An update in the range of the fold. */
  const update: EntryRecord = {
    ...entry(9, "core", insert("u1", "News.")),
    announced: [{ key: toSourceKey("core/date"), text: "News." }],
  };

  test("joins the epoch where it hides nothing that was announced", () => {
    const policies = [policy("own", "session", createHistoryDraft(folding))];
    const decision = steady(decideBoundary(input({ policies, ...cold })));
    expect(edits(decision.drafts)).toEqual([folding]);
  });

  test("opens an epoch where it hides an update, whose news its Baseline has", () => {
    const policies = [policy("own", "session", createHistoryDraft(folding))];
    const decision = opening(
      decideBoundary(input({ view: createView([update]), policies, ...cold })),
    );
    expect(decision.cause).toBe("folded");
  });

  test("with the session's own edits of this boundary, in their order; the epoch's are drafted again", () => {
    const policies = [
      policy("own", "session", createHistoryDraft(folding)),
      policy("epochs", "epoch", createHistoryDraft(insert("u2", "again"))),
    ];
    const decision = opening(
      decideBoundary(input({ view: createView([update]), policies, ...cold })),
    );
    expect(decision.cause).toBe("folded");
    expect(decision.drafts.map(({ origin, edit }) => [origin, edit])).toEqual([
      ["own", folding],
      ["epochs", insert("u2", "again")],
    ]);
  });

  test("with what the session's own policies had decided before and the fold doesn't cover", () => {
    const view = createView([
      entry(2, "own", drop),
      entry(3, "own", insert("u2", "kept")),
      entry(4, "other", insert("u2", "not the session's own")),
      entry(5, "own", null, "a1.0"),
      update,
    ]);
    const policies = [policy("own", "session", createHistoryDraft(folding))];
    const decision = opening(decideBoundary(input({ view, policies, ...cold })));
    expect(edits(decision.drafts)).toEqual([insert("u2", "kept"), folding]);
  });

  test("one that has to wait opens none", () => {
    const policies = [policy("own", "session", createHistoryDraft(folding))];
    expect(edits(steady(decideBoundary(input({ policies }))).deferred)).toEqual([folding]);
  });

  test("an epoch that was sent and could not be stored is opened again with the same edits", () => {
    const prepared = [{ ...createHistoryDraft(folding), origin: "own" }];
    const policies = [policy("own", "session", createHistoryDraft(drop))];
    const decision = opening(decideBoundary(input({ prepared, policies })));
    expect([decision.cause, decision.drafts]).toEqual(["folded", prepared]);
  });
});

describe("what was prepared for an epoch that could not be stored", () => {
  const folding = fold("u1", "a1", "They looked.");
  const named = (edit: Edit) => ({ ...createHistoryDraft(edit), origin: "own" });
  const undone = { ...named(drop), edit: null };
  const rows: readonly (readonly [string, Changes, Decision["kind"]])[] = [
    ["a drop alone opens none", { prepared: [named(drop)] }, "steady"],
    ["a drop beside a fold does", { prepared: [named(drop), undone, named(folding)] }, "opening"],
    [
      "a fold whose place an undo has taken opens none",
      { prepared: [named(fold("u0", "a0", "x"))] },
      "steady",
    ],
    [
      "a fold that is on record by now opens none",
      { prepared: [named(folding)], view: createView([entry(2, "own", folding)]) },
      "steady",
    ],
    [
      "a fold beside another one on record does",
      { prepared: [named(fold("u1", "u1", "x"))], view: createView([entry(2, "own", drop)]) },
      "opening",
    ],
  ];
  test.each(rows)("%s", (_what, changes, kind) => {
    expect(decideBoundary(input(changes)).kind).toBe(kind);
  });

  test("what the user has asked for since is decided on beside them", () => {
    const command: Proposal = { ...waiting(9), urgency: "command" };
    const { policies: watchers, views } = watching();
    const own = policy("own", "session", createHistoryDraft(insert("u2", "asked for")));
    const policies = [own, ...watchers];
    const proposals = [waiting(8), command];
    const decision = opening(
      decideBoundary(input({ prepared: [named(folding)], policies, proposals })),
    );
    expect(edits(decision.drafts)).toEqual([folding, insert("u2", "asked for")]);
    expect([decision.boundary, decision.settled]).toEqual([{ kind: "command" }, [8, 9]]);
    expect(views.map(({ boundary, standing }) => [boundary.kind, standing.length])).toEqual([
      ["command", 1],
    ]);
  });

  test("what only waits goes on waiting: nobody has looked at it", () => {
    const policies = [policy("own", "session", createHistoryDraft(drop))];
    const decision = opening(
      decideBoundary(input({ prepared: [named(folding)], policies, proposals: [waiting(8)] })),
    );
    expect([edits(decision.drafts), decision.settled]).toEqual([[folding], []]);
  });

  test("an epoch that opens for another cause takes what the user has asked for as asked", () => {
    const { policies, views } = watching();
    const proposals: readonly Proposal[] = [{ ...waiting(9), urgency: "command" }];
    const decision = opening(decideBoundary(input({ asked: "model", policies, proposals })));
    expect([decision.cause, decision.boundary.kind, decision.settled]).toEqual([
      ...["model", "command", [9]],
    ] as never);
    expect(views.map(({ boundary }) => boundary.kind)).toEqual(["command"]);
  });

  test("an opening is decided at its cause's boundary", () => {
    expect(opening(decideBoundary(input({ asked: "model" }))).boundary).toEqual({ kind: "model" });
  });
});

describe("what policies see as an epoch opens", () => {
  const asked = "model";

  test("what is carried over as standing, what stood before as former, and no news", () => {
    const { policies, views } = watching();
    const own = [{ ...policy("own", "session"), draft: () => [] }, ...policies];
    const view = createView([entry(2, "own", drop), entry(3, "other", insert("u2", "x"))]);
    opening(decideBoundary(input({ view, policies: own, asked })));
    const [seen] = views;
    expect(seen?.standing).toEqual([
      {
        origin: "own",
        edit: drop,
        messageId: "a1",
        partId: "a1.1",
        announced: [],
        delta: {},
        proposal: null,
        seq: 1,
      } as never,
    ]);
    expect(seen?.former.map(({ seq }) => seq)).toEqual([2, 3]);
    expect([seen?.boundary, seen?.watermark, seen?.undo, seen?.news]).toEqual([
      { kind: "model" },
      null,
      null,
      null,
    ]);
  });

  test("every proposal that was looked at is done with", () => {
    expect(opening(decideBoundary(input({ asked, proposals: [waiting(1)] }))).settled).toEqual([1]);
  });

  test("what the host shows is looked for in the history as it is sent", () => {
    const looked: string[] = [];
    const view = createView([entry(2, "own", replace("a1.1", "[dropped]"))]);
    const shownIn: BoundaryInput["shownIn"] = (history) => {
      looked.push(JSON.stringify(history));
      return [];
    };
    decideBoundary(input({ view, asked, shownIn, policies: [policy("own", "session")] }));
    expect(looked.join()).toContain("[dropped]");
  });
});

describe("parts that show what was told nowhere else are claimed", () => {
  const witness = (partId: string | null): Draft => {
    const anchor = { messageId: "a1", partId };
    return { anchor, edit: null, announced: [], delta: emptySnapshot, proposal: null };
  };

  test("those on record and those of now; neither an edit's part nor an undo that is on record", () => {
    const { policies, views } = watching();
    const view = createView([
      entry(2, "shown", null, "a1.1"),
      entry(3, "own", insert("a1.0", "x")),
    ]);
    decideBoundary(input({ view, policies, witnessed: [witness("a1.2"), witness(null)] }));
    expect([...(views[0]?.claims ?? [])]).toEqual(["a1.1", "a1.2"]);
  });
});

describe("an undo", () => {
  test("that is not on record is seen by policies; where all entries stand there is none", () => {
    const { policies, views } = watching();
    decideBoundary(input({ policies }));
    const key = "core/date" as never;
    const told = {
      ...entry(2, "tell", insert("gone", "x")),
      delta: { [key]: { hash: "1", json: "1", removed: null } },
    };
    decideBoundary(input({ policies, view: createView([told]) }));
    expect(views.map(({ undo }) => undo)).toEqual([
      null,
      { standing: {}, recorded: told.delta, texts: new Map() } as never,
    ]);
  });
});

test("omitting a part that was sent waits too, and a cold cache lets it through", () => {
  const policies = [policy("own", "session", createHistoryDraft(omit("a1.0")))];
  expect(steady(decideBoundary(input({ policies }))).drafts).toEqual([]);
  expect(steady(decideBoundary(input({ policies, coldPauseMs: 1 }))).drafts).toHaveLength(1);
});
