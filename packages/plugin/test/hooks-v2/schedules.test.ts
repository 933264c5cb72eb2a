// Random schedules on the stand-in host: what holds of every request, whatever happens in between.
import { afterAll, beforeAll, expect, test } from "bun:test";
import plugin from "../../src/index.ts";
import type { Answer, SentRequest } from "./host.ts";
import { isPrefix, ledgerRows, ownFolder } from "./stage.ts";
import { StandIn } from "./stand-in.ts";

let folder: ReturnType<typeof ownFolder>;
beforeAll(() => {
  folder = ownFolder();
});
afterAll(() => folder.remove());

/** By a generator of our own, so that a schedule that fails is found again by its seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

const SCHEDULES = process.env.LONG === "1" ? 1_000 : 25;
const STEPS = 10;

/**
 * Of one request: each call has its one result, in order, the first message is the user's, and none that we
 * made is the second of the user's in a row.
 */
function soundness({ messages, kind }: SentRequest): void {
  const parts = messages.flatMap(({ content }) => content);
  const called = parts.flatMap((part) => (part.type === "tool-call" ? [part.id] : []));
  const results = parts.flatMap((part) => (part.type === "tool-result" ? [part.id] : []));
  expect(results).toEqual(called);
  if (kind === "primary") expect(["user", "system"]).toContain(messages[0]?.role ?? "none");
  for (const { content } of messages) expect(content.length).toBeGreaterThan(0);
  const spoken = messages.filter(({ role }) => role !== "system");
  const doubled = spoken.filter(({ role, id }, at) => {
    const made = role === "user" && id === undefined;
    return made && [spoken[at - 1], spoken[at + 1]].some((other) => other?.role === "user");
  });
  if (kind === "primary") expect(doubled).toEqual([]);
}

test(`${SCHEDULES} random schedules: no step fails, each request is sound, and a prefix breaks only by a rewrite on record, a compaction or an undo`, async () => {
  const next = { call: 0 };
  let rewrites = 0;
  for (let seed = 0; seed < SCHEDULES; seed++) {
    const pick = numbers(seed);
    const sessionId = `ses_${seed}`;
    const rows: number[] = [];
    const host = new StandIn({
      plugins: [plugin],
      // Small enough that some of the histories fill it.
      windowTokens: 100_000,
      runTool: () => ({ content: "a line of a result\n".repeat(50 + pick(1_900)) }),
      model: (sent): Answer => {
        rows.push(ledgerRows());
        next.call += 1;
        if (sent.kind === "compaction") return { text: "A summary." };
        const calls = Array.from({ length: pick(3) }, (_, at) => ({
          id: pick(4) === 0 ? `call_${at}` : `call_${next.call}_${at}`,
          name: pick(3) === 0 ? "bash" : "read",
          input: pick(2) === 0 ? { filePath: `/f${pick(9)}` } : { command: `run ${pick(9)}` },
        }));
        return { text: `Answer ${next.call}.`, calls };
      },
    });
    const excused = new Set<number>();
    for (let step = 0; step < STEPS; step++) {
      switch (pick(8)) {
        case 0:
          host.instruct(sessionId, `Instruction ${step}.`);
          break;
        case 1:
          await host.reload([plugin]);
          break;
        case 2:
          if (host.stored(sessionId).length > 6) await host.compact(sessionId, 2 + pick(3));
          break;
        case 3:
          undo(host, sessionId, pick);
          excused.add(host.sent.length);
          break;
        default:
          await host.prompt(sessionId, `Prompt ${step}.`);
      }
    }
    await host.close();
    const { sent } = host;
    // Also those that the host makes by itself, where its window is full.
    for (const [at, { kind }] of sent.entries()) {
      if (kind === "compaction") excused.add(at).add(at + 1);
    }
    expect([seed, host.failed]).toEqual([seed, []]);
    sent.forEach(soundness);
    const broken = sent.flatMap((call, at) =>
      at > 0 && !isPrefix(sent[at - 1], call) ? [at] : [],
    );
    const unexplained = broken.filter((at) => !excused.has(at) && rows[at] === rows[at - 1]);
    expect([seed, unexplained]).toEqual([seed, []]);
    rewrites += broken.filter((at) => !excused.has(at)).length;
  }
  expect(rewrites).toBeGreaterThan(SCHEDULES / 5);
}, 3_600_000);

/** The host takes back the newest prompt with all that came of it. */
function undo(host: StandIn, sessionId: string, pick: (below: number) => number): void {
  const stored = host.stored(sessionId);
  const prompts = stored.flatMap(({ role }, at) => (role === "user" && at > 0 ? [at] : []));
  const from = prompts.at(-1 - pick(2));
  if (from !== undefined) stored.splice(from);
}
