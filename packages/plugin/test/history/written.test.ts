import { describe, expect, test } from "bun:test";
import { planFree } from "../../src/history/plan.ts";
import { createHistoryPolicy } from "../../src/history/policy.ts";
import { digestRange, placeSegments, type WrittenSegment } from "../../src/history/written.ts";
import { deriveRef } from "../../src/ledger/ref.ts";
import { assistant, synthetic, text, user } from "../ledger/history.ts";
import { called } from "./calls.ts";
import { output, ran, read, SimulatedSession, said, settings } from "./simulation.ts";

const IDLE = { kind: "idle", idleMs: 1 } as const;

/** What a model would write of these messages of a session. */
function writeSegment(session: SimulatedSession, first: number, last: number): WrittenSegment {
  const range = session.messages.slice(first, last + 1);
  const words = (count: number) => `The model wrote of ${first}: ${"more ".repeat(count)}`.trim();
  return {
    ...{ firstId: range[0]?.info.id ?? "", lastId: range.at(-1)?.info.id ?? "" },
    ...{ place: first, messageCount: range.length, digest: digestRange(range) },
    ...{ kind: "fix", importance: 80 },
    texts: { full: words(30), short: words(20), brief: words(10), line: words(0) },
  };
}

function longSession(turns: number): SimulatedSession {
  const session: SimulatedSession = new SimulatedSession(
    168_000,
    createHistoryPolicy(settings, () => session.written),
  );
  for (let turn = 0; turn < turns; turn++) {
    session.prompt(`Prompt ${turn}.`);
    for (let call = 0; call < 2; call++) {
      const name = `${turn}.${call}`;
      session.call(said(`I look at ${name}.`), ran(`check ${name}`, output(name, 8_000)));
    }
    session.call(said(`Part ${turn} is fine.`));
  }
  return session;
}

const sentText = (session: SimulatedSession) => JSON.stringify(session.sent);

describe("segments that a model wrote", () => {
  test("W5: are folded with where they stand, and extraction says the rest", () => {
    const session = longSession(12);
    session.entries = [];
    session.written = [writeSegment(session, 41, 42)];
    const folds = planFree(session.view(IDLE), settings, "cold")?.folds ?? [];
    expect(folds).toHaveLength(11);
    const [before, fold] = folds.slice(-2);
    expect(fold?.text).toContain("The model wrote of 41:");
    expect(fold?.text).toContain(
      `[${deriveRef("h", session.messages[41]?.info.id ?? "")} · 2 mess`,
    );
    expect(fold?.text).not.toContain("$ check 10.0");
    expect(before?.text).toContain("$ check 9.0");
    // The user's words and the answers stand beside the records.
    for (const { text } of folds) expect(text).not.toMatch(/Prompt|is fine/);
  });

  test("are asked for where history is folded, and not at calls where nothing pays", () => {
    const asked: number[] = [];
    const policy = createHistoryPolicy(settings, ({ length }) => {
      asked.push(length);
      return [];
    });
    const session = new SimulatedSession(168_000, policy);
    session.prompt("Look.");
    for (let call = 0; call < 6; call++) session.call(said(`Step ${call}.`));
    expect(asked).toEqual([]);
    for (let call = 0; call < 4; call++) {
      session.call(said(`I look at ${call}.`), ran(`check ${call}`, output(`${call}`, 40_000)));
    }
    asked.length = 0;
    session.prompt("And now?");
    session.send(IDLE);
    expect(session.rewrites.at(-1)).toMatchObject({ boundary: "idle", folds: 1 });
    expect(sentText(session).match(/<session-history>/g)).toHaveLength(1);
    expect(asked).toHaveLength(1);
  });

  test("are asked for once where a fold pays, and not where one is held back", () => {
    let asked = 0;
    const policy = createHistoryPolicy(settings, () => {
      asked += 1;
      return [];
    });
    // So roomy that asking again counts in full, and folds are held back by it.
    const session = new SimulatedSession(1_000_000, policy);
    session.prompt("Look at all of it.");
    let callsThatAsked = 0;
    for (let call = 0; call < 60; call++) {
      asked = 0;
      session.call(said(`I look at ${call}.`), read(`f${call}`, output(`${call}`, 8_000)));
      expect(asked).toBeLessThanOrEqual(1);
      callsThatAsked += asked;
    }
    expect(session.rewrites.map(({ folds }) => folds)).toContain(1);
    expect(callsThatAsked).toBeLessThan(12);
  });

  test("W7: are left out as soon as their messages read differently, or reach beyond the fold", () => {
    const session = longSession(12);
    session.entries = [];
    const stale = { ...writeSegment(session, 41, 42), digest: digestRange([]) };
    // It goes on from one turn's work to the next one's.
    session.written = [stale, writeSegment(session, 34, 38)];
    const texts = (planFree(session.view(IDLE), settings, "cold")?.folds ?? []).map(
      ({ text }) => text,
    );
    expect(texts).toHaveLength(11);
    expect(texts.at(-1)).toContain("$ check 10.0");
    expect(texts.join("\n")).not.toContain("The model wrote");
  });

  test("W5: written of a whole turn, stand for its work alone, between its words", () => {
    const session = longSession(12);
    session.entries = [];
    session.written = [writeSegment(session, 36, 39)];
    const folds = planFree(session.view(IDLE), settings, "cold")?.folds ?? [];
    const told = folds.find(({ text }) => text.includes("The model wrote of 36:"));
    expect(told).toMatchObject({
      first: session.messages[37]?.info.id,
      last: session.messages[38]?.info.id,
    });
    expect(told?.text).toContain("· 2 messages ·");
  });

  test("W5: written after a fold take their place when a rewrite is free, once, and never in a warm cache", () => {
    const session = longSession(12);
    session.send(IDLE);
    session.prompt("On.");
    session.call(said("Yes."));
    expect(sentText(session)).toContain("$ check 10.0");
    session.written = [writeSegment(session, 41, 42)];
    session.call(said("More."));
    expect(sentText(session)).not.toContain("The model wrote");
    const before = session.rewrites.length;
    session.send(IDLE);
    expect(sentText(session)).toContain("The model wrote of 41:");
    expect(sentText(session)).not.toContain("$ check 10.0:");
    expect(sentText(session).match(/<session-history>/g)).toHaveLength(12);
    session.send(IDLE);
    session.send(IDLE);
    expect(session.rewrites.length).toBe(before + 1);
  });

  test("take their place when they are asked for, at the price of what follows", () => {
    const session = longSession(12);
    session.send(IDLE);
    session.prompt("On.");
    session.call(said("Yes."));
    session.written = [writeSegment(session, 41, 42)];
    const asked = planFree(session.view({ kind: "command" }), settings, "asked");
    expect(asked?.folds.map(({ text }) => text).join("\n")).toContain("The model wrote of 41:");
    expect(asked?.cost).toBeGreaterThan(1_000);
    expect(planFree(session.view(IDLE), settings, "cold")?.cost).toBe(0);
  });

  test("of two that overlap, the newer writing stands", () => {
    const session = longSession(4);
    const [older, newer] = [writeSegment(session, 0, 7), writeSegment(session, 4, 11)];
    const range = { first: 0, last: 15 };
    const placed = placeSegments([newer, older], session.messages, range);
    expect(placed.map(({ first, last }) => [first, last])).toEqual([[4, 11]]);
    const all = placeSegments([newer, writeSegment(session, 0, 3)], session.messages, range);
    expect(all.map(({ first }) => first)).toEqual([0, 4]);
  });

  test("are found by a fork, whose messages have other ids", () => {
    const session = longSession(4);
    const fork = session.messages.map((message, index) => ({
      ...message,
      info: { ...message.info, id: `fork${index}` },
    }));
    const placed = placeSegments([writeSegment(session, 4, 11)], fork, { first: 0, last: 15 });
    expect(placed.map(({ first, last }) => [first, last])).toEqual([[4, 11]]);
  });
});

describe("the digest of what was summarised", () => {
  const said = [
    user("u1", text("Look.")),
    assistant("a1", called("read", { filePath: "a.ts" }, "one")),
  ];
  const other = (...parts: Parameters<typeof user>[1][]) => [
    user("u9", ...parts),
    ...said.slice(1),
  ];

  test("is the same in a fork, and whatever a host puts beside the words for one call", () => {
    expect(digestRange(other(text("Look.")))).toBe(digestRange(said));
    expect(digestRange(other(text("Look."), synthetic("a reminder")))).toBe(digestRange(said));
  });

  test("changes with each word, argument and result", () => {
    const changed = [
      other(text("Look!")),
      [...said.slice(0, 1), assistant("a1", called("read", { filePath: "b.ts" }, "one"))],
      [...said.slice(0, 1), assistant("a1", called("read", { filePath: "a.ts" }, "two"))],
      said.slice(0, 1),
    ];
    const digests = [said, ...changed].map(digestRange);
    expect(new Set(digests).size).toBe(5);
  });
});

describe("which segments stand, and where", () => {
  const messages = Array.from({ length: 10 }, (_, at) => user(`u${at}`, text(`Words ${at}.`)));
  const segment = (first: number, last: number, change: Partial<WrittenSegment> = {}) => {
    const range = messages.slice(first, last + 1);
    return {
      ...{ firstId: `u${first}`, lastId: `u${last}`, place: first, messageCount: range.length },
      ...{ digest: digestRange(range), kind: "fix", importance: 50 },
      texts: { full: "f", short: "s", brief: "b", line: "l" },
      ...change,
    } satisfies WrittenSegment as WrittenSegment;
  };
  const places = (written: readonly WrittenSegment[], range = { first: 0, last: 9 }) =>
    placeSegments(written, messages, range).map(({ first, last }) => `${first}-${last}`);

  test("those wholly within a range, in order; of two that overlap the first given", () => {
    expect(places([segment(6, 7), segment(0, 1), segment(3, 4)])).toEqual(["0-1", "3-4", "6-7"]);
    const range = { first: 2, last: 6 };
    expect(places([segment(1, 3), segment(2, 3), segment(5, 6)], range)).toEqual(["2-3", "5-6"]);
    expect(places([segment(6, 7), segment(1, 2)], range)).toEqual([]);
    expect(places([segment(2, 4), segment(4, 5), segment(1, 2), segment(5, 6)])).toEqual([
      ...["2-4", "5-6"],
    ]);
    expect(places([])).toEqual([]);
  });

  test("only where the same files were attached", () => {
    const file = (mime: string, filename?: string) =>
      digestRange([
        user("u", text("Look."), { type: "file", mime, url: "", ...(filename && { filename }) }),
      ]);
    const digests = [
      digestRange([user("u", text("Look."))]),
      ...[file("image/png"), file("image/jpeg"), file("image/png", "a.png")],
    ];
    expect(new Set(digests).size).toBe(4);
    expect(file("image/png", "a.png")).toBe(digests[3] ?? "");
  });

  test("by the id of the first message, elsewhere at its place, and only where the words are the same", () => {
    expect(places([segment(2, 3, { place: 7 })])).toEqual(["2-3"]);
    expect(places([segment(2, 3, { firstId: "of the parent session" })])).toEqual(["2-3"]);
    expect(places([segment(2, 3, { firstId: "elsewhere", place: 7 })])).toEqual([]);
    expect(places([segment(2, 3, { digest: "other" })])).toEqual([]);
  });
});
