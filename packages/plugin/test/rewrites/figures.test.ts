import { describe, expect, test } from "bun:test";
import { planFor } from "../../src/history/policy.ts";
import type { Decided } from "../../src/policies/decided.ts";
import type { Boundary } from "../../src/projection/boundary.ts";
import type { Entry } from "../../src/projection/entry.ts";
import { figuresOf } from "../../src/rewrites/figures.ts";
import { output, ran, SimulatedSession, said, settings } from "../history/simulation.ts";

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
function decide(session: SimulatedSession, boundary: Boundary): Decided {
  const view = session.view(boundary);
  const plan = planFor(view, settings);
  const former = [...session.entries];
  session.commit([...(plan?.drops ?? []), ...(plan?.folds ?? [])]);
  const entries = session.entries.filter((entry) => !former.includes(entry));
  return {
    ...{ messages: view.messages, boundary, room: view.room, watermark: view.watermark, former },
    ...{ epochSeq: 1, atMs: 5, entries, standing: session.entries },
  };
}

const tokens = (session: SimulatedSession) => session.send();

describe("a rewrite's figures", () => {
  test("say what each further call is spared, to the token", () => {
    const session = worked(20);
    const before = tokens(session);
    const figures = figuresOf(decide(session, { kind: "worth" }), settings);
    expect(figures?.savedTokens).toBe(before - tokens(session));
    expect(figures).toMatchObject({ reason: "worth", epochSeq: 1, atMs: 5, seq: 1 });
    expect(figures?.savedTokens).toBeGreaterThan(10_000);
    expect(figures?.costTokens).toBeGreaterThan(0);
  });

  test("a dead cache makes it free, whatever killed it", () => {
    for (const boundary of [{ kind: "idle", idleMs: 1 }, { kind: "model" }] as const) {
      const figures = figuresOf(decide(worked(20), boundary), settings);
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
      const figures = figuresOf(decide(session, { kind }), settings);
      const view = session.view();
      const sent = tokens(session) - 10_000;
      expect(figures?.reason).toBe(reason);
      // All that is left, but the newest message, which no call had sent.
      expect(figures?.costTokens).toBeLessThanOrEqual(1.15 * sent + 1);
      expect(figures?.costTokens).toBeGreaterThan(1.15 * sent - 1_000);
      expect(figures?.firstMessageId).toBe(String(view.messages[0]?.info.id));
    }
  });

  test("count what is folded and dropped all in all, each once", () => {
    const session = worked(20);
    const first = figuresOf(decide(session, { kind: "worth" }), settings);
    expect(first?.droppedParts).toBe(first?.drops);
    for (let turn = 0; turn < 10; turn++) {
      session.prompt(`More ${turn}`);
      session.call(said(output(`${turn}`, 4_000)));
    }
    const second = figuresOf(decide(session, { kind: "command" }), settings);
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
      const { view, entry } = { view: session.view(), entry: entryOf(origin, edit) };
      return figuresOf(
        {
          ...{ messages: view.messages, boundary: view.boundary, room: view.room, former: [] },
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

function entryOf(origin: string, edit: NonNullable<Entry["edit"]>): Entry {
  return { seq: 9, origin, edit, messageId: "", partId: null, told: [], delta: {} };
}
