import { expect, test } from "bun:test";
import { measureParts } from "@session-runtime/opencode/history/measured-history";
import type { HistorySettings } from "@session-runtime/opencode/history/settings";
import type { HostMessage } from "@session-runtime/opencode/ledger/message";
import { estimateHistoryTokens } from "@session-runtime/opencode/ledger/tokens";
import type { SyntheticCall } from "../../src/simulation/made-up.ts";
import { SimulatedSession } from "../../src/simulation/session.ts";
import type { Model } from "../../src/simulation/settings.ts";
import { model } from "./recorded.ts";

const history: HistorySettings = {
  ...{ rewrite: "worth", keepTokens: 4_000, budgetTokens: "auto", wayBack: "ctx_expand" },
  ...{ directory: "/project", measure: measureParts, keep: null },
};

function createReadCall(result: number, chars: number, file = result): SyntheticCall {
  const input = { filePath: `/project/file${file}` };
  return { result, tool: "read", input, outcome: "done", text: "some word ".repeat(chars / 10) };
}

/** Reads one file a call, a second apart; then the next call is due. */
function reads(session: SimulatedSession, files: readonly number[], chars: number): void {
  for (const file of files) {
    const number = session.calls.length;
    session.send(number * 1_000);
    session.answer({ said: "", calls: [createReadCall(number, chars, file)] });
  }
}

function started(bounds: Partial<Model>, settings: HistorySettings | null): SimulatedSession {
  const session = new SimulatedSession({ ...model, ...bounds }, settings);
  session.prompt("Look at all of it.");
  return session;
}

const listPartTypes = (sent: readonly HostMessage[]) =>
  sent.map(({ info, parts }) => [info.role, ...parts.map(({ type }) => type)]);

/** What could go does not fill it: asking again counts in full. */
const roomy = { windowTokens: 1_000_000, usableTokens: 996_000 };

const differentFiles = Array.from({ length: 60 }, (_, at) => at);

test("holds what was asked, said and called, in the host's form", () => {
  const session = started({}, null);
  session.send(0);
  session.answer({
    said: "I look.",
    calls: [createReadCall(3, 40), { ...createReadCall(4, 40), outcome: "failed" }],
  });
  session.send(1);
  session.answer({ said: "", calls: [createReadCall(5, 40)] });
  expect(listPartTypes(session.sent)).toEqual([
    ["user", "text"],
    ["assistant", "text", "tool", "tool"],
    ["assistant", "tool"],
  ]);
  const [, answer] = session.sent;
  const time = { start: 0, end: 0 };
  expect(answer?.parts.slice(1)).toMatchObject([
    ...[
      {
        tool: "read",
        callID: "3",
        state: { status: "completed", output: createReadCall(3, 40).text, time },
      },
    ],
    ...[
      {
        tool: "read",
        callID: "4",
        state: { status: "error", error: createReadCall(4, 40).text, time },
      },
    ],
  ]);
  const ids = session.sent.flatMap(({ info, parts }) => [info.id, ...parts.map(({ id }) => id)]);
  expect(new Set(ids).size).toBe(ids.length);
});

test("an answer carries its call's figures: the prompt, and four characters of it a token", () => {
  const session = started({}, null);
  session.send(0);
  const call = createReadCall(0, 40);
  session.answer({ said: "x".repeat(41), calls: [call] });
  const output = Math.ceil((41 + JSON.stringify([call.input]).length) / 4);
  const tokens = { input: session.calls[0]?.tokens, output, cache: { read: 0, write: 0 } };
  expect(session.sent.at(-1)?.info).toMatchObject({ tokens });
});

test("a prompt as large as the window is sent, and a larger one refused", () => {
  const sized = (windowTokens: number) => {
    const session = started({ windowTokens }, null);
    session.send(0);
    return session;
  };
  const tokens = sized(60_000).calls[0]?.tokens ?? 0;
  expect(sized(tokens).refused).toBe(0);
  expect(sized(tokens - 1).refused).toBe(1);
});

test("a call is cold when it comes later after the one before than a cache lives", () => {
  const paused = (ms: number) => {
    const session = started({ ttlMs: 1_000 }, null);
    session.send(50_000);
    session.send(50_000 + ms);
    return session.coldCalls;
  };
  expect(paused(1_000)).toBe(0);
  expect(paused(1_001)).toBe(1);
});

test("the host alone compacts where an answer leaves no room: one call more, which reads nothing", () => {
  const session = started({ usableTokens: 20_000 }, null);
  reads(session, differentFiles.slice(0, 30), 4_000);
  const kinds = session.calls.map(({ kind }) => kind);
  const at = kinds.indexOf("compaction");
  const [before, compaction, after] = [at - 1, at, at + 1].map((index) => session.calls[index]);
  if (!before || !compaction || !after) throw new Error("It compacts once at least.");
  // The answer before took about 1,000 tokens more.
  expect(before.tokens).toBeGreaterThan(20_000 - 1_200);
  expect(compaction).toMatchObject({ readTokens: 0, bill: 1.25 * compaction.tokens });
  expect(after.tokens).toBeLessThan(before.tokens);
  const second = session.calls[kinds.lastIndexOf("compaction")];
  expect(kinds.lastIndexOf("compaction")).toBeGreaterThan(at + 3);
  // What the first one left is among what the last one sums up.
  expect(second?.tokens).toBeGreaterThan(4_000);
  expect(JSON.stringify(session.sent[0])).toContain("What did we do so far?");
  expect(session.rewrites).toEqual([]);
});

test("a compaction begins where the last report takes exactly the room that a prompt has", () => {
  const compactions = (usableTokens: number) => {
    const session = started({ usableTokens }, null);
    session.send(0);
    session.answer({ said: "", calls: [createReadCall(0, 4_000)] });
    session.send(1_000);
    return session.calls.filter(({ kind }) => kind === "compaction").length;
  };
  const first = started({}, null);
  first.send(0);
  const call = createReadCall(0, 4_000);
  const output = Math.ceil(JSON.stringify([call.input]).length / 4);
  const full = (first.calls[0]?.tokens ?? 0) + output;
  expect([compactions(full), compactions(full + 1)]).toEqual([1, 0]);
});

test("a call right after a compaction doesn't compact again, however little room there is", () => {
  const session = started({ usableTokens: 100 }, null);
  reads(session, [0, 1], 4_000);
  session.prompt("And now?");
  session.send(9_000);
  const kinds = session.calls.map(({ kind }) => kind);
  expect(kinds).toEqual(["main", "compaction", "main", "compaction", "main"]);
});

test("a rewrite pays for what its call can no longer read of the one before", () => {
  const session = started({}, { ...history, rewrite: "pressure" });
  reads(session, differentFiles.slice(0, 45), 8_000);
  expect(session.rewrites.length).toBeGreaterThan(1);
  for (const { call, cost, boundary } of session.rewrites) {
    const [before, now] = [session.calls[call - 1], session.calls[call]];
    if (!before || !now) throw new Error("Each rewrite names its call.");
    expect(boundary).toBe("pressure");
    expect(cost).toBeCloseTo((1.25 - 0.1) * (before.tokens - now.readTokens), 5);
    expect(now.tokens).toBeLessThan(before.tokens);
  }
});

test("what is read again and again goes where that pays, each stub counted as a drop", () => {
  const session = started(roomy, history);
  reads(
    session,
    Array.from({ length: 30 }, (_, at) => at % 3),
    12_000,
  );
  const stubs = JSON.stringify(session.sent).split('"output":"[').length - 1;
  expect(session.rewrites.length).toBeGreaterThan(1);
  expect(session.rewrites.map(({ boundary, folds }) => [boundary, folds])).toEqual(
    session.rewrites.map(() => ["worth", 0]),
  );
  expect(session.rewrites.reduce((sum, { drops }) => sum + drops, 0)).toBe(stubs);
});

test("a first prompt that leaves no room is sent as it is", () => {
  const session = started({ usableTokens: 1 }, null);
  session.send(0);
  expect(session.calls.map(({ kind }) => kind)).toEqual(["main"]);
});

test("what only pays stays where history waits for pressure", () => {
  const session = started({}, { ...history, rewrite: "pressure" });
  reads(
    session,
    Array.from({ length: 12 }, (_, at) => at % 3),
    12_000,
  );
  expect(session.rewrites).toEqual([]);
});

test("what would pay goes as the pause's own where the cache has died by then", () => {
  const session = started(roomy, history);
  reads(
    session,
    Array.from({ length: 11 }, (_, at) => at % 3),
    12_000,
  );
  expect(session.rewrites).toEqual([]);
  session.send(1_000_000);
  expect(session.rewrites.map(({ boundary }) => boundary)).toEqual(["idle"]);
});

test("after a pause that outlasts the cache, a rewrite costs nothing", () => {
  const session = started(roomy, history);
  reads(session, differentFiles.slice(0, 15), 8_000);
  session.prompt("I am back.");
  session.send(1_000_000);
  expect(session.rewrites).toMatchObject([
    { boundary: "idle", folds: 1, drops: 0, cost: 0, call: 15 },
  ]);
});

test("without history nothing is rewritten, after a pause neither", () => {
  const session = started({}, null);
  reads(session, differentFiles.slice(0, 15), 8_000);
  session.prompt("I am back.");
  session.send(1_000_000);
  expect(session.rewrites).toEqual([]);
  expect(listPartTypes(session.sent)).toHaveLength(17);
});

/** A front that fills most of the room: the messages alone are far from filling it. */
const tight = { usableTokens: 20_000, frontTokens: 15_000 };
const onPressure = { ...history, rewrite: "pressure", keepTokens: 500 } as const;

test("pressure is measured by what the last call took, with its front", () => {
  const session = started(tight, onPressure);
  reads(session, differentFiles.slice(0, 12), 2_000);
  expect(estimateHistoryTokens(session.sent)).toBeLessThan(0.9 * 20_000);
  const [first] = session.rewrites;
  expect(first?.boundary).toBe("pressure");
  // Nine tenths of the room, up to one more result.
  const before = session.calls[(first?.call ?? 0) - 1]?.tokens ?? 0;
  expect(before).toBeGreaterThan(0.9 * 20_000 - 600);
  expect(before).toBeLessThan(0.9 * 20_000);
});

test("after a rewrite the figures of the calls before it no longer count", () => {
  const session = started({ ...tight, usableTokens: 30_000 }, onPressure);
  reads(session, differentFiles.slice(0, 60), 2_000);
  const at = session.rewrites.map(({ call }) => call);
  expect(at.length).toBeGreaterThan(1);
  for (const [index, call] of at.entries()) expect(call - (at[index - 1] ?? 0)).toBeGreaterThan(10);
  for (const { tokens } of session.calls) expect(tokens).toBeLessThan(30_000);
});

test("what is sent is what the provider caches, block by block", () => {
  const session = started({}, history);
  reads(session, differentFiles.slice(0, 30), 8_000);
  session.send(31_000);
  const blocks = session.sentBlocks.flatMap(([, made]) => made);
  const tokens = blocks.reduce((sum, block) => sum + block.tokens, model.frontTokens);
  expect(tokens).toBe(session.calls.at(-1)?.tokens ?? 0);
  expect(session.sentBlocks.map(([message]) => message)).toEqual([...session.sent]);
});
