import { describe, expect, test } from "bun:test";
import { toSourceKey } from "../../src/context/key.ts";
import type { SnapshotEntry } from "../../src/context/snapshot.ts";
import { admitPrune, PRUNED_RESULT } from "../../src/ledger/admit-prune.ts";
import { announceUpdate } from "../../src/ledger/announce-update.ts";
import {
  boundFailures,
  readFailureText,
  selectFailedCalls,
  withBoundedFailures,
} from "../../src/ledger/bound-failures.ts";
import type { Boundary } from "../../src/ledger/boundary.ts";
import type { Edit } from "../../src/ledger/edit.ts";
import { createHistoryDraft, type Entry } from "../../src/ledger/entry.ts";
import { holdReminders } from "../../src/ledger/hold-reminders.ts";
import { createLinePolicy } from "../../src/ledger/line-at-end.ts";
import type { HostMessage } from "../../src/ledger/message.ts";
import {
  type Announcement,
  type BoundaryView,
  listSessionScoped,
  type Policy,
  type Proposal,
} from "../../src/ledger/policy.ts";
import { createPolicies } from "../../src/ledger/policy-list.ts";
import { recordShown } from "../../src/ledger/record-shown.ts";
import { recordUndo } from "../../src/ledger/record-undo.ts";
import { createProposalsPolicy } from "../../src/ledger/take-proposals.ts";
import {
  assistant,
  done,
  failed,
  insert,
  pruned,
  replace,
  synthetic,
  text,
  user,
} from "./history.ts";

const cold: Boundary = { kind: "idle", idleMs: 1 };

/** As far as these policies look. */
function view(messages: readonly HostMessage[], changes: Partial<BoundaryView> = {}): BoundaryView {
  const usual = { boundary: cold, standing: [], claims: new Set<string>(), hostPrune: "on" };
  return { messages, ...usual, undo: null, ...changes } as unknown as BoundaryView;
}

function entry(edit: Edit): Entry {
  return {
    seq: 1,
    origin: "test",
    ...createHistoryDraft(edit),
    ...createHistoryDraft(edit).anchor,
  };
}

describe("the host's prune", () => {
  const messages = [
    user("u1", text("go")),
    assistant("a1", pruned("c1", "long"), done("c2", "long"), pruned("c3", "long")),
    user("u2", text("go on")),
  ];
  const drafted = (changes: Partial<BoundaryView> = {}) =>
    admitPrune.draft(view(messages, changes)).map(({ edit }) => edit);
  const first = replace("a1.0", PRUNED_RESULT);
  const third = replace("a1.2", PRUNED_RESULT);

  test("is let through where the cache is cold, for results that it has blanked", () => {
    expect(drafted()).toEqual([first, third]);
  });

  test("is not where the cache is warm, or the host doesn't prune", () => {
    expect(drafted({ boundary: { kind: "ordinary" } })).toEqual([]);
    expect(drafted({ hostPrune: "off" })).toEqual([]);
  });

  test("leaves what is replaced already, and what has to stay", () => {
    const standing = [entry(replace("a1.0", "[dropped]")), entry(insert("u2", "x"))];
    expect(drafted({ standing })).toEqual([third]);
    expect(drafted({ claims: new Set(["a1.2"]) })).toEqual([first]);
  });
});

describe("reminders of the host", () => {
  const PLAN = "<system-reminder>\n# Plan Mode - System Reminder\nDon't edit.";
  const BUILD = "<system-reminder>\nYour operational mode has changed from plan to build.\nGo.";
  const drafted = (messages: readonly HostMessage[], standing: readonly Entry[] = []) =>
    holdReminders.draft(view(messages, { standing })).map(({ edit }) => edit);

  test("are held behind the part that they follow, also once the model is at work", () => {
    const prompt = user("u1", text("go"), synthetic(PLAN));
    expect(drafted([prompt])).toEqual([insert("u1.0", PLAN)]);
    expect(drafted([prompt, assistant("a1", text("ok"))])).toEqual([insert("u1.0", PLAN)]);
  });

  test("are the host's own: what a user types is not", () => {
    expect(drafted([user("u1", text(PLAN))])).toEqual([]);
  });

  test("are held once each", () => {
    const prompt = user("u1", text("go"), synthetic(PLAN), synthetic(BUILD));
    expect(drafted([prompt], [entry(insert("u1.0", PLAN))])).toEqual([insert("u1.0", BUILD)]);
  });
});

describe("an undo", () => {
  const value = (hash: string): SnapshotEntry => ({ hash, json: "1", removed: null });
  const kept = toSourceKey("team/a");
  const changed = toSourceKey("team/b");
  const gone = toSourceKey("team/c");
  const messages = [user("u1"), assistant("a1"), user("u2")];

  test("is put on record at the newest message, with what it has changed and nothing else", () => {
    const undo = {
      standing: { [kept]: value("1"), [changed]: value("2") },
      recorded: { [kept]: value("1"), [changed]: value("3"), [gone]: value("4") },
      texts: new Map([[changed, "told"]]),
    };
    expect(recordUndo.draft(view(messages, { undo }))).toEqual([
      {
        anchor: { messageId: "u2", partId: null },
        edit: null,
        announced: [{ key: changed, text: "told" }],
        delta: { [changed]: value("2"), [gone]: null },
        proposal: null,
      },
    ]);
  });

  test("that has changed nothing leaves no record", () => {
    const same = { [kept]: value("1") };
    const undo = { standing: same, recorded: same, texts: new Map<string, string>() };
    expect(recordUndo.draft(view(messages, { undo }))).toEqual([]);
  });
});

describe("a line at the end", () => {
  const policy = createLinePolicy(
    "test",
    (_view, { info }, earlier) => `${info.id} ${earlier.length}`,
  );
  const edits = (view: BoundaryView) => policy.draft(view).map(({ edit }) => edit);

  test("stands after the newest message, framed as an update", () => {
    const messages = [user("u1", text("go")), assistant("a1", text("done"))];
    expect(edits(view(messages))).toEqual([
      insert("a1", "<system-update>\na1 0\n</system-update>"),
    ]);
    expect(edits(view([]))).toEqual([]);
  });

  test("comes once per message, and knows its earlier lines and nobody else's", () => {
    const messages = [user("u1", text("go")), user("u2", text("on"))];
    const lineAt = (id: string) => entry(insert(id, "line"));
    const others = { ...lineAt("u2"), origin: "another" };
    expect(edits(view(messages, { standing: [lineAt("u1"), others] }))).toEqual([
      insert("u2", "<system-update>\nu2 1\n</system-update>"),
    ]);
    expect(edits(view(messages, { standing: [lineAt("u2")] }))).toEqual([]);
  });
});

describe("failed calls", () => {
  const messages = [assistant("a1", failed("c1", "long one"), failed("c2", "short"))];
  const boundedTexts = new Map([["a1.0", "long one, cut"]]);
  const drafted = (changes: Partial<BoundaryView>) =>
    boundFailures.draft(view(messages, { boundedTexts, ...changes })).map(({ edit }) => edit);

  test("say what the limit leaves, unless their text is replaced already", () => {
    expect(drafted({})).toEqual([replace("a1.0", "long one, cut")]);
    expect(drafted({ standing: [entry(replace("a1.0", "[dropped]"))] })).toEqual([]);
    expect(drafted({ boundedTexts: new Map() })).toEqual([]);
  });

  test("are measured with it", () => {
    const [sent] = withBoundedFailures(messages, boundedTexts, []);
    const texts = selectFailedCalls(sent?.parts ?? []).map(readFailureText);
    expect(texts).toEqual(["long one, cut", "short"]);
  });

  test("give an interrupted call's output, where it left one", () => {
    const [part] = selectFailedCalls(assistant("a1", failed("c1", "stopped")).parts);
    if (part === undefined) throw new Error("There is none");
    const interrupted = (output: unknown) => ({
      ...part,
      state: { ...part.state, metadata: { interrupted: true, output } },
    });
    expect(readFailureText(interrupted("half of it"))).toBe("half of it");
    expect(readFailureText(interrupted(null))).toBe("stopped");
  });
});

describe("what changed", () => {
  const news: Announcement = { text: "news", announced: [], delta: {} };

  test("is announced after the newest message, once", () => {
    const [draft] = announceUpdate.draft(view([user("u1", text("go"))], { news }));
    const after = { messageId: "u1", partId: null };
    expect(draft).toEqual({
      ...{ anchor: after, edit: { verb: "insert", after, text: "news" } },
      ...{ announced: [], delta: {}, proposal: null },
    });
  });

  test("is nothing without news or without a message", () => {
    expect(announceUpdate.draft(view([user("u1", text("go"))], { news: null }))).toEqual([]);
    expect(announceUpdate.draft(view([], { news }))).toEqual([]);
  });

  test("is put on record where the host has shown it", () => {
    const shown = [createHistoryDraft(insert("u1", "seen"))];
    expect(recordShown.draft(view([], { shown }))).toEqual(shown);
  });
});

describe("proposals", () => {
  const propose = (kind: string): Proposal => ({ id: 7, kind, urgency: "waits", output: "o" });
  const fold: Edit = { verb: "fold", first: "u1", last: "a1", text: "folded" } as Edit;
  const policy = createProposalsPolicy(new Map([["known", () => [createHistoryDraft(fold)]]]));

  test("become drafts by their kind, which carry the proposal's id", () => {
    expect(policy.draft(view([], { proposals: [propose("known"), propose("gone")] }))).toEqual([
      { ...createHistoryDraft(fold), proposal: 7 },
    ]);
    expect(createHistoryDraft(fold).anchor).toEqual({ messageId: "u1", partId: null });
  });
});

describe("the list of policies", () => {
  const feature: Policy = { name: "feature", scope: "session", draft: () => [] };

  test("has those of features after what the host pushed, and before the news", () => {
    expect(createPolicies([feature]).map(({ name }) => name)).toEqual([
      ...["record-undo", "hold-reminders", "bound-failures", "admit-prune", "feature"],
      ...["record-shown", "announce-update"],
    ]);
  });

  test("names those whose edits outlive an epoch", () => {
    expect([...listSessionScoped(createPolicies([feature]))]).toEqual([
      "bound-failures",
      "feature",
    ]);
  });
});

test("without a message no policy has a place for anything", () => {
  const undo = { standing: {}, recorded: {}, texts: new Map() };
  const nothing = view([], { undo, news: null, shown: [], boundedTexts: new Map(), proposals: [] });
  const say = createLinePolicy("say", () => "a line");
  for (const policy of [recordUndo, holdReminders, say]) expect(policy.draft(nothing)).toEqual([]);
  expect(createLinePolicy("say", () => null).draft(view([user("u1", text("go"))]))).toEqual([]);
  expect(holdReminders.draft(view([user("u1", synthetic("not a reminder"))]))).toEqual([]);
});
