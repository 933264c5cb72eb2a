import { describe, expect, test } from "bun:test";
import { planFree, planSwitched, planWarm } from "../../src/history/plan.ts";
import { planBoundary } from "../../src/history/policy.ts";
import { resolveShortHistoryTokens } from "../../src/history/settings.ts";
import type { Boundary } from "../../src/ledger/boundary.ts";
import type { HostMessage } from "../../src/ledger/message.ts";
import { estimateMessageTokens } from "../../src/ledger/tokens.ts";
import { output, ran, SimulatedSession, said, settings } from "./simulation.ts";

const fixed = { ...settings, keepTokens: 0 } as const;
const switched = { kind: "switched" } as Boundary;

/** A result, forty calls that only talk, and so many characters in the newest prompt. */
function talked(
  resultChars: number,
  promptChars = 0,
  usableTokens: number | null = 168_000,
): SimulatedSession {
  const session = new SimulatedSession(usableTokens, null);
  session.prompt("Look.");
  session.call(ran("make", output("make", resultChars)));
  for (let call = 0; call < 40; call++) session.call(said(`Call ${call}.`));
  session.prompt("x".repeat(promptChars));
  return session;
}

const countAllTokens = ({ messages }: SimulatedSession) =>
  messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);

/** The same with exactly so many tokens. */
function createSession(tokens: number, usableTokens: number | null = 168_000): SimulatedSession {
  const resultChars = 2 * tokens;
  const without = countAllTokens(talked(resultChars, 0, usableTokens));
  const session = talked(resultChars, 4 * (tokens - without), usableTokens);
  expect(countAllTokens(session)).toBe(tokens);
  return session;
}

describe("a short history", () => {
  test("has less than 20,000 tokens, or a sixth of a window without room for so many", () => {
    expect([null, 1_000_000, 56_000, 28_000].map(resolveShortHistoryTokens)).toEqual([
      ...[20_000, 20_000, 20_000, 20_000],
    ]);
    expect([27_999, 12_000].map(resolveShortHistoryTokens)).toEqual([27_999 / 6, 2_000]);
  });

  test("is not rewritten, to the token: neither in a warm cache, nor in a dead one, nor for another model", () => {
    const short = createSession(19_999).view();
    const long = createSession(20_000).view();
    for (const plan of [planWarm, planSwitched] as const) {
      expect(plan(short, fixed)).toBeNull();
      expect(plan(long, fixed)?.saved).toBeGreaterThan(9_000);
    }
    expect(planFree(short, fixed, "cold")).toBeNull();
    expect(planFree(long, fixed, "cold")?.saved).toBeGreaterThan(9_000);
  });

  test("is rewritten by command, and where the call would not fit", () => {
    const short = createSession(19_999).view();
    expect(planFree(short, fixed, "asked")?.saved).toBeGreaterThan(9_000);
    expect(planFree(short, fixed, "pressure")?.saved).toBeGreaterThan(9_000);
    const full = createSession(19_999, 30_000).view();
    const plan = planBoundary({ ...full, boundary: { kind: "pressure" } }, fixed);
    expect(plan?.saved).toBeGreaterThan(9_000);
  });

  test("is one of a sixth of a small window", () => {
    const planForTokens = (tokens: number) =>
      planFree(createSession(tokens, 24_000).view(), fixed, "cold");
    expect(planForTokens(3_999)).toBeNull();
    expect(planForTokens(4_000)?.saved).toBeGreaterThan(1_500);
  });

  test("counts in the provider's tokens, by what its calls have shown", () => {
    const session = new SimulatedSession(168_000, null);
    session.prompt("Look.");
    const chars = 5_200;
    for (let call = 0; call < 12; call++) session.call(ran(`x${call}`, output(`x${call}`, chars)));
    const tokens = countAllTokens(session);
    expect(tokens).toBeWithin(15_000, 20_000);
    expect(planFree(session.view(), fixed, "cold")).toBeNull();
    // The provider counts one and a half for each of ours.
    let prompt = 10_000;
    session.messages.forEach((message, at) => {
      if (message.info.role === "user") return;
      const counted = { input: 0, output: 0, cache: { read: Math.round(prompt), write: 0 } };
      const info = { ...message.info, tokens: counted } as HostMessage["info"];
      session.messages[at] = { ...message, info };
      prompt += 1.5 * estimateMessageTokens(message);
    });
    expect(planFree(session.view(), fixed, "cold")?.saved).toBeGreaterThan(9_000);
  });
});

describe("where another model goes on", () => {
  /** So many tokens in a result at the beginning, and so many that stay after it. */
  const worked = (resultTokens: number, stayTokens: number) => {
    const session = new SimulatedSession(168_000, null);
    session.prompt("Look.");
    session.call(ran("make", output("make", 4 * resultTokens)));
    session.prompt("y".repeat(4 * stayTokens));
    session.call(said("I see."));
    return session;
  };

  test("what is spared of its write is worth half of what the former model would write again", () => {
    const plan = planSwitched(worked(30_000, 4_000).view(), fixed);
    expect(plan).toMatchObject({ reason: "cold", folds: [] });
    expect(plan?.drops).toHaveLength(1);
    // 1.25 of 4,000 tokens against half of 1.15 of what follows.
    const share = (stayTokens: number) => planSwitched(worked(4_000, stayTokens).view(), fixed);
    const worth = (1.25 * 4_000) / (0.5 * 1.15);
    expect(worth).toBeWithin(8_500, 9_000);
    expect(share(16_500)).toBeNull();
    const least = planFree(worked(4_000, 16_500).view(), fixed, "asked");
    expect(1.25 * (least?.saved ?? 0)).toBeLessThan(0.5 * (least?.cost ?? 0));
    const both = worked(12_000, 8_400).view();
    expect(planSwitched(both, fixed)).toEqual({
      ...(planFree(both, fixed, "asked") as object),
      reason: "cold",
    } as never);
  });

  test("it is decided so at its boundary, and only where rewrites may pay", () => {
    const view = { ...worked(30_000, 4_000).view(), boundary: switched };
    expect(planBoundary(view, fixed)).toEqual(planSwitched(view, fixed));
    expect(planBoundary(view, { ...fixed, rewrite: "pressure" })).toBeNull();
    const full = { ...view, space: { ...view.space, usableTokens: 40_000 } };
    expect(planBoundary(full, { ...fixed, rewrite: "pressure" })?.drops).toHaveLength(1);
    expect(planSwitched(worked(100, 30_000).view(), { ...fixed, keepTokens: 90_000 })).toBeNull();
  });
});
