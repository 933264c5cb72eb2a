import { expect, setDefaultTimeout, test } from "bun:test";
import type { RecordedSession, RecordedStep } from "../../cli/src/simulation/recorded.ts";
import type { CallNote } from "../src/bench/history/frugal-provider.ts";
import { besideSentence, besideTable, pageRows } from "../src/bench/real/beside.ts";
import { ECHOES, Echoes, echoTable } from "../src/bench/real/echoes.ts";
import { frontierTable, takeHalf } from "../src/bench/real/frontier-table.ts";
import {
  countPauses,
  estimateErrors,
  type HostedFigures,
  hosted,
  hostTable,
  simulationError,
  sumBills,
} from "../src/bench/real/hosted.ts";
import { renderPicture } from "../src/bench/real/picture.ts";
import { measureReal, renderSentence } from "../src/bench/real/section.ts";
import { SHORT_STEPS, truncateSession } from "../src/bench/real/short.ts";
import {
  givenUpShare,
  harnessTable,
  measureSpread,
  rewritesPer100,
  rewrittenShare,
  simulate,
  simulationTable,
  worstHarness,
} from "../src/bench/real/simulated.ts";
import { MIDDLE_TOKENS, ROOMY_TOKENS } from "../src/host/models.ts";
import { progressOn } from "../src/terminal/progress.ts";
import { longTest } from "./long.ts";

setDefaultTimeout(600_000);

const steps: readonly RecordedStep[] = Array.from({ length: 24 }, (_, at) => ({
  s: at < 20 ? at * 10 : 1_000 + at * 10,
  chars: 120,
  calls: [
    { tool: at % 2 ? "bash" : "read", target: at, chars: 80, result: at, resultChars: 9_000 },
  ],
  needs: at === 22 ? [1] : at === 12 ? [11] : [],
}));
const last: RecordedStep = { s: 1_300, chars: 200, calls: [], needs: [] };
const recorded: RecordedSession = {
  ...{ session: "made", model: "none", harness: "none" },
  turns: [{ chars: 300, steps: [...steps, last] }],
};

longTest(
  "a recorded session's replay on the host, its simulation and an estimate from the host's database agree",
  async () => {
    const one = await hosted(recorded, { peer: null, onTurn: () => undefined });
    const { stock, ours, simulated, estimate } = one;
    const main = ({ calls }: typeof stock) => calls.filter(({ kind }) => kind === "main").length;
    expect([main(stock), main(ours)]).toEqual([simulated.stock.calls, simulated.ours.calls]);
    const again = [simulated.stock.askedAgain, simulated.ours.askedAgain];
    expect([stock.askedAgain, ours.askedAgain]).toEqual(again);
    expect(ours.askedAgain).toBeGreaterThan(0);
    // The pause of the record killed the cache of both.
    expect([simulated.stock.coldCalls, simulated.ours.coldCalls]).toEqual([1, 1]);
    expect(countPauses(one)).toEqual({ missedCacheCount: 1, pauseCount: 1 });
    expect(Math.abs(simulated.stock.bill / sumBills(stock) - 1)).toBeLessThan(0.02);
    expect(simulationError(one)).toBeLessThan(0.02);
    // What OpenCode has stored of its own run says what it was billed, and what ours was.
    expect(estimate.calls).toBe(main(stock));
    const { paid, withPlugin } = estimateErrors(one);
    expect(paid).toBeLessThan(1e-6);
    expect(withPlugin).toBeLessThan(0.05);
    expect(estimate.askedAgain).toBe(ours.askedAgain);
    const rows = hostTable([one]).split("\n");
    expect(rows).toHaveLength(4);
    expect(new Set(rows.map((row) => row.split("|").length)).size).toBe(1);
    expect(rows[2]).toContain("| 1 of 1 |");
  },
);

test("the section says what was simulated and what was not, and draws a bar a session", () => {
  const other = { ...recorded, session: "other" };
  const roomy = [recorded, other].map((session) => simulate(session, ROOMY_TOKENS));
  const middle = [recorded, other].map((session) => simulate(session, MIDDLE_TOKENS));
  const table = simulationTable(
    roomy,
    new Map([
      [ROOMY_TOKENS, roomy],
      [MIDDLE_TOKENS, middle],
    ]),
  );
  const rows = table.split("\n").slice(2);
  expect(rows.map((row) => row.split(" | ").slice(0, 3).join(" | "))).toEqual([
    "| none | 200,000 | 2",
    "| every other, from the first | 200,000 | 1",
    "| every other, from the second | 200,000 | 1",
    "| all | 200,000 | 2",
    "| all | 60,000 | 2",
  ]);
  const { share, again } = measureSpread(roomy);
  expect(share.mean).toBeCloseTo(share.sum, 6);
  expect(share.worst).toBeLessThan(1);
  expect(again.worst).toBeGreaterThan(0);
  const short = [recorded, other].map((session) =>
    simulate(truncateSession(SHORT_STEPS, session), ROOMY_TOKENS),
  );
  const sentence = renderSentence({ roomy, middle, short, onHost: [] });
  expect(sentence).toStartWith("In 2 recorded sessions of real models (50 calls), the bill");
  expect(sentence).toContain("of your earlier prompts stand word for word");
  const picture = renderPicture(roomy, []);
  expect(picture.match(/<rect class="with"/g)).toHaveLength(3);
  expect(picture.match(/<circle/g)).toHaveLength(1);
});

test("a session cut short has its first steps, in their turns", () => {
  const turn = (from: number, to: number) => ({ chars: 10, steps: steps.slice(from, to) });
  const three = { ...recorded, turns: [turn(0, 2), turn(2, 5), turn(5, 8)] };
  expect(truncateSession(3, three).turns).toEqual([turn(0, 2), turn(2, 3)]);
  expect(truncateSession(5, three).turns).toEqual([turn(0, 2), turn(2, 5)]);
  expect(truncateSession(99, three)).toEqual(three);
});

test("side by side, a plugin that was not measured has no row on the page, and the page of plugins says so", () => {
  const calls = (bill: number) => [{ bill } as CallNote];
  const standing = { prompts: { mean: 0.5, worst: 0 }, farPrompts: null, closings: null };
  const side = (bill: number, askedAgain: number) => ({
    ...{ calls: calls(bill), extraCalls: 0, askedAgain, tooLong: 0, standing },
  });
  const one: Pick<HostedFigures, "recorded" | "stock" | "ours" | "peer"> = {
    ...{ recorded, stock: side(200, 0), ours: side(50, 5) },
    peer: { name: "DCP 1.2.3", ...side(220, 1) },
  };
  expect(besideTable([one]).split("\n").slice(2)).toEqual([
    "| OpenCode alone | 1.000 | 1.000 | 0.0 | 50.0 % | 100.0 % | 100.0 % |",
    "| DCP 1.2.3 | 1.100 | 1.100 | 4.0 | 50.0 % | 100.0 % | 100.0 % |",
    "| Session Runtime | 0.250 | 0.250 | 20.0 | 50.0 % | 100.0 % | 100.0 % |",
  ]);
  expect(besideSentence([one])).toBe(
    "1 recorded sessions on the real OpenCode: 110.0 % of its bill with DCP 1.2.3, **25.0 %** with Session Runtime.",
  );
  const none = { ...one, peer: null };
  expect(besideSentence([none])).toBe("");
  expect(besideTable([none]).split("\n")).toHaveLength(4);
  const [bill] = pageRows([none]);
  expect(bill).toEqual([
    "bill of 1 recorded sessions",
    ["100.0 %", "not measured", "not measured", "25.0 %"],
  ]);
});

test("the frontier has a row for the plugin and one for OpenCode alone in each window, on the half that was asked for", () => {
  expect(takeHalf("fit", [1, 2, 3, 4, 5])).toEqual([1, 3, 5]);
  expect(takeHalf("report", [1, 2, 3, 4, 5])).toEqual([2, 4]);
  const one = simulate(recorded, ROOMY_TOKENS);
  const windows = new Map([[ROOMY_TOKENS, takeHalf("all", [one, one])]]);
  const rows = frontierTable("all", windows, "sessions").split("\n").slice(2);
  expect(rows.map((row) => row.split(/ {2,}/)[0])).toEqual([
    ...["made", "made", "all", "OpenCode alone"],
  ]);
  // Of a session of one turn, nothing was said before.
  expect(rows.at(-1)).toContain("100.0 %, 100.0 %, 100.0 %");
  expect(rewritesPer100([one])).toBeGreaterThan(0);
  // Its one rewrite is after a pause, and costs nothing.
  expect([rewrittenShare([one]), givenUpShare([one])]).toEqual([0, 0]);
  const busy = Array.from({ length: 4 }, () => steps).flat();
  const without = busy.map((step, at) => ({ ...step, s: at * 10, needs: [] }));
  const warm = simulate({ ...recorded, turns: [{ chars: 300, steps: without }] }, ROOMY_TOKENS);
  expect(rewrittenShare([warm])).toBeGreaterThan(0);
  expect(rewrittenShare([warm])).toBeLessThan(givenUpShare([warm]) + 0.2);
});

test("each harness is held against the sessions of all others", () => {
  const [one, other] = [
    simulate(recorded, ROOMY_TOKENS),
    simulate({ ...recorded, session: "long", harness: "other" }, ROOMY_TOKENS),
  ];
  expect(worstHarness([one, other])).toBeCloseTo(1, 9);
  const dear = { ...other, bound: other.bound / 2 };
  expect(worstHarness([one, dear])).toBeCloseTo(2, 9);
  const [first] = harnessTable([one, one, dear]).split("\n").slice(2);
  expect(first).toStartWith("| none | 2 |");
  expect(first).toContain("| 0.50 |");
});

test("what sessions carry is counted once as it is written, and with each call that carries it", () => {
  const call = { target: 1, chars: 100, resultChars: 200 };
  const steps: readonly RecordedStep[] = [
    { chars: 100, calls: [{ ...call, tool: "read", result: 0 }], needs: [] },
    { chars: 100, calls: [{ ...call, tool: "edit", result: 1 }], needs: [0] },
    { chars: 100, calls: [{ ...call, tool: "edit", result: 2 }], needs: [] },
    { chars: 200, calls: [{ ...call, tool: "read", result: 3 }], needs: [] },
  ];
  const echoes = new Echoes([{ ...recorded, turns: [{ chars: 300, steps: [...steps] }] }]);
  const { written, carried } = echoes.weightShare("results of reads");
  expect(written).toBeCloseTo(400 / 2_000, 9);
  const all = (300 + 400) * 4 + 400 * 3 + 400 * 2 + 500;
  expect(carried).toBeCloseTo((200 * 4 + 200) / all, 9);
  const writtenTokens = (echo: (typeof ECHOES)[number]) => 2_000 * echoes.weightShare(echo).written;
  expect(writtenTokens("… that are read again")).toBeCloseTo(200, 9);
  expect(writtenTokens("… that an edit's step used")).toBeCloseTo(200, 9);
  expect(writtenTokens("arguments of edits and writes")).toBeCloseTo(200, 9);
  expect(writtenTokens("… of a file that the same tool changes again")).toBeCloseTo(100, 9);
  expect(echoTable([recorded]).split("\n")).toHaveLength(2 + ECHOES.length);
});

test("where there are no records nothing is measured", async () => {
  const request = { sections: [], details: null, peers: [], recorded: [] } as const;
  const measured = await measureReal(progressOn(process.stdout), {
    ...request,
    traces: "/nowhere",
  });
  expect(measured).toBeNull();
});
