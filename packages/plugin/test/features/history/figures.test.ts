import { describe, expect, test } from "bun:test";
import { computeFigures } from "../../../src/features/history/figures.ts";
import { countBlocks, measureHistory } from "../../../src/history/measured-history.ts";
import { planBoundary } from "../../../src/history/policy.ts";
import type { Boundary } from "../../../src/ledger/boundary.ts";
import type { BoundaryDecision, Entry } from "../../../src/ledger/entry.ts";
import { output, ran, SimulatedSession, said, settings } from "../../history/simulation.ts";

const MEDIUM = 168_000;

function worked(turns: number): SimulatedSession {
  const session = new SimulatedSession(MEDIUM, null);
  for (let turn = 0; turn < turns; turn++) {
    session.prompt(`Prompt ${turn}`);
    session.call(said("I look."), ran(`check ${turn}`, output(`${turn}`, 8_000)));
    session.call(said(`Part ${turn} is fine.`));
  }
  return session;
}

/** As the boundary would put it on record, and as the session goes on with it. */
function decide(session: SimulatedSession, boundary: Boundary): BoundaryDecision {
  const view = session.view(boundary);
  const plan = planBoundary(view, settings);
  const former = [...session.entries];
  session.commit([...(plan?.drops ?? []), ...(plan?.folds ?? [])]);
  const entries = session.entries.filter((entry) => !former.includes(entry));
  return {
    ...{ messages: view.messages, boundary, space: view.space, watermark: view.watermark, former },
    ...{ epochSeq: 1, atMs: 5, entries, standing: session.entries },
  };
}

const tokens = (session: SimulatedSession) => session.send();

describe("a rewrite's figures", () => {
  test("say what each further call is spared, to the token", () => {
    const session = worked(20);
    const before = tokens(session);
    const figures = computeFigures(decide(session, { kind: "worth" }), settings);
    expect(figures?.savedTokens).toBe(before - tokens(session));
    expect(figures).toMatchObject({ reason: "worth", epochSeq: 1, atMs: 5, seq: 1 });
    expect(figures?.savedTokens).toBeGreaterThan(10_000);
    expect(figures?.costTokens).toBeGreaterThan(0);
  });

  test("a dead cache makes it free, whatever killed it", () => {
    for (const boundary of [{ kind: "idle", idleMs: 1 }, { kind: "model" }] as const) {
      const figures = computeFigures(decide(worked(20), boundary), settings);
      expect(figures).toMatchObject({ reason: "cold", costTokens: 0 });
      expect(figures?.folds).toBeGreaterThan(0);
    }
  });

  test("what was asked for or had to fit costs what stands after it, at the price of writing it again", () => {
    for (const [kind, reason] of [
      ["command", "asked"],
      ["pressure", "pressure"],
    ] as const) {
      const session = worked(20);
      const figures = computeFigures(decide(session, { kind }), settings);
      const view = session.view();
      const sent = tokens(session) - 10_000;
      expect(figures?.reason).toBe(reason);
      // All that is left, but the newest message, which no call had sent.
      expect(figures?.costTokens).toBeLessThanOrEqual(1.15 * sent + 1);
      expect(figures?.costTokens).toBeGreaterThan(1.15 * sent - 1_000);
      // The prompt before it stays.
      expect(figures?.firstMessageId).toBe(String(view.messages[1]?.info.id));
    }
  });

  test("count what is folded and dropped all in all, each once", () => {
    const session = worked(20);
    const first = computeFigures(decide(session, { kind: "worth" }), settings);
    expect(first?.droppedParts).toBe(first?.drops);
    for (let turn = 0; turn < 10; turn++) {
      session.prompt(`More ${turn}`);
      session.call(said("I look on."), ran(`check more ${turn}`, output(`${turn}`, 4_000)));
      session.call(said(`Part ${turn} is fine, too.`));
    }
    const second = computeFigures(decide(session, { kind: "command" }), settings);
    expect(second?.foldedMessages).toBeGreaterThan(20);
    expect(second?.foldTokens).toBeGreaterThan(100);
    // What was dropped is folded by now.
    expect(second?.droppedParts).toBe(0);
  });

  test("a proposal's drops count, and what other policies replace doesn't", () => {
    const session = worked(4);
    const part = session.messages[1]?.parts[1];
    const edit = {
      verb: "replace",
      at: { messageId: session.messages[1]?.info.id ?? "", partId: part?.id ?? "" },
      text: "[gone]",
    } as const;
    const from = (origin: string) => {
      const { view, entry } = { view: session.view(), entry: createEntry(origin, edit) };
      return computeFigures(
        {
          ...{ messages: view.messages, boundary: view.boundary, space: view.space, former: [] },
          ...{ watermark: view.watermark, epochSeq: 1, atMs: 5 },
          ...{ entries: [entry], standing: [entry] },
        },
        settings,
      );
    };
    expect(from("bound-failures")).toBeNull();
    const figures = from("take-proposals");
    expect(figures).toMatchObject({ drops: 1, folds: 0, droppedParts: 1, reason: "cold" });
    expect(figures?.savedTokens).toBeGreaterThan(1_900);
  });
});

describe("a rewrite's price", () => {
  const session = worked(6);
  const view = session.view();
  const idAt = (index: number) => view.messages[index]?.info.id ?? "";
  const tokensAt = (index: number) => {
    const { rows } = measureHistory(
      { messages: view.messages, standing: [], projected: view.messages },
      settings.measure,
    );
    return rows[index]?.tokens ?? 0;
  };
  const last = view.messages.length - 1;
  /** One part of the message is dropped. */
  const figures = (
    at: number,
    other: Partial<BoundaryDecision> = {},
    lookBackBlocks: number | null = null,
  ) => {
    const edit = {
      verb: "omit",
      at: { messageId: idAt(at), partId: view.messages[at]?.parts[1]?.id ?? "" },
    } as const;
    const entry = createEntry("history", edit);
    return computeFigures(
      {
        ...{ messages: view.messages, boundary: { kind: "command" }, former: [], epochSeq: 1 },
        space: { ...view.space, rates: { read: 0, write: 1, lookBackBlocks } },
        watermark: { messageId: idAt(last), index: last } as never,
        ...{ atMs: 5, entries: [entry], standing: [entry], ...other },
      },
      settings,
    );
  };
  const sumTokens = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => tokensAt(from + at)).reduce(
      (sum, one) => sum + one,
      0,
    );
  // The second message of a turn ran a tool; its output goes.
  const at = 4;

  test("is of what was sent, from the first change on", () => {
    const rest = sumTokens(at + 1, last);
    const whole = figures(at)?.costTokens ?? 0;
    expect(whole).toBeGreaterThanOrEqual(rest);
    expect(whole).toBeLessThan(rest + tokensAt(at));
    const watermark = { messageId: idAt(last - 2), index: last - 2 } as never;
    expect(whole - (figures(at, { watermark })?.costTokens ?? 0)).toBe(sumTokens(last - 1, last));
    expect(figures(at, { watermark: null })?.costTokens).toBe(0);
  });

  test("is of all that was sent where the provider doesn't find the place any more", () => {
    // What goes are two of them: a call and its result.
    const blocks = view.messages.slice(at).reduce((sum, one) => sum + countBlocks(one), 0) - 2;
    const near = figures(at)?.costTokens ?? 0;
    expect(figures(at, {}, blocks + 5)?.costTokens).toBe(near);
    expect(figures(at, {}, blocks)?.costTokens).toBe(near);
    expect(figures(at, {}, blocks - 1)?.costTokens).toBe(near + sumTokens(0, at - 1));
  });

  test("knows where it begins and ends, and that nothing of what is gone was said of it", () => {
    const drop = (index: number) =>
      createEntry("history", {
        verb: "omit",
        at: { messageId: idAt(index), partId: view.messages[index]?.parts[1]?.id ?? "" },
      });
    const entries = [drop(7), drop(1), drop(4)];
    const found = figures(at, { entries, standing: entries });
    expect([found?.firstMessageId, found?.lastMessageId]).toEqual([idAt(1), idAt(7)]);
    const gone = createEntry("history", { verb: "omit", at: { messageId: "gone", partId: "p" } });
    expect(figures(at, { entries: [gone] })).toBeNull();
    // A note is no part of the history; what was dropped before spares nothing now.
    const note = createEntry("nudges", {
      verb: "insert",
      after: { messageId: idAt(1), partId: null },
      text: "A long note. ".repeat(100),
    });
    const before = figures(at, {
      standing: entries,
      entries: [drop(4)],
      former: [drop(7), drop(1), note],
    });
    const own = figures(at, { entries: [drop(4)], standing: [drop(4)] });
    expect(before?.savedTokens).toBe(own?.savedTokens ?? 0);
    expect(before).toMatchObject({ drops: 1, droppedParts: 3 });
    const fold = createEntry("history", {
      verb: "fold",
      first: idAt(0),
      last: idAt(4),
      text: "In short.",
    });
    const both = figures(at, { entries: [fold], standing: [...entries, fold] });
    // Both ends of the fold are in it; one drop lies behind it.
    expect(both).toMatchObject({ drops: 0, folds: 1, droppedParts: 1, foldedMessages: 5 });
    const edge = { entries: [fold], standing: [drop(0), drop(4), drop(5), fold] };
    expect(figures(at, edge)).toMatchObject({ droppedParts: 1 });
  });
});

function createEntry(origin: string, edit: NonNullable<Entry["edit"]>): Entry {
  return { seq: 9, origin, edit, messageId: "", partId: null, announced: [], delta: {} };
}
