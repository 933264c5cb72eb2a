import { describe, expect, test } from "bun:test";
import {
  countDroppableTokens,
  isFoldNear,
  isOverfull,
  planFree,
  planWarm,
} from "../../src/history/plan.ts";
import { planBoundary, toReason } from "../../src/history/policy.ts";
import { surveyHistory } from "../../src/history/survey.ts";
import { digestRange } from "../../src/history/written.ts";
import { output, ran, read, SimulatedSession, said, settings } from "./simulation.ts";

// What `plan.test.ts` holds over whole sessions, here on small ones.

const WINDOW = 168_000;
const fixed = { ...settings, keepTokens: 0 } as const;

/** One result of 25,000 tokens, as below 20,000 nothing is rewritten, and so many calls that only talk. */
function talked(
  calls: number,
  chars = 100_000,
  usableTokens: number | null = WINDOW,
): SimulatedSession {
  const session = new SimulatedSession(usableTokens, null);
  session.prompt("Look.");
  session.call(ran("make", output("make", chars)));
  for (let call = 0; call < calls; call++) session.call(said(`Call ${call}.`));
  return session;
}

/** Turns with work of about 850 tokens, and the newest prompt. */
function turns(count: number, usableTokens: number | null = WINDOW): SimulatedSession {
  const session = new SimulatedSession(usableTokens, null);
  for (let turn = 0; turn < count; turn++) {
    session.prompt(`Do ${turn}.`);
    session.call(said(`Step ${turn}. ${`Words of ${turn}. `.repeat(260)}`), ran("true", ""));
    session.call(said(`Did ${turn}.`));
  }
  session.prompt("And now?");
  return session;
}

const kept = { ...settings, keepTokens: 1_000 } as const;

describe("while the cache is warm", () => {
  test("nothing is rewritten before the session's first call", () => {
    const view = talked(60).view();
    expect(planWarm(view, fixed)).not.toBeNull();
    expect(planWarm({ ...view, watermark: null }, fixed)).toBeNull();
  });

  test("what goes has been paid for by calls that read it, asking for it again counted in", () => {
    expect(planWarm(talked(2).view(), fixed)).toBeNull();
    const view = talked(60).view();
    const plan = planWarm(view, fixed);
    expect(plan).toMatchObject({ reason: "worth", folds: [] });
    expect(plan?.drops).toHaveLength(1);
    const [candidate] = surveyHistory(view, fixed, 0).candidates.values();
    expect(plan?.saved).toBe(candidate?.saves as number);
    // Its stub and the talk after it are written again.
    expect(plan?.cost).toBeGreaterThan(0);
    expect(plan?.cost).toBeLessThan(1.15 * 1_000);
  });

  test("what would cost more than it brings stays, while what comes after it goes", () => {
    const session = new SimulatedSession(WINDOW, null);
    session.prompt("Look.");
    session.call(ran("ls", output("ls", 1_200)));
    session.call(said("I think. ".repeat(9_000)), ran("true", ""));
    session.call(ran("make", output("make", 12_000)));
    for (let call = 0; call < 40; call++) session.call(said(`Call ${call}.`));
    // Nothing can be folded in so few tokens.
    const plan = planWarm(session.view(), { ...fixed, budgetTokens: 5 });
    const ids = plan?.drops.map((edit) => (edit.verb === "replace" ? edit.at.partId : ""));
    expect(ids).toEqual([session.messages[3]?.parts[0]?.id ?? ""]);
  });

  test("what is dead goes although what is spent is held back", () => {
    const session = new SimulatedSession(WINDOW, null);
    session.prompt("Look.");
    const file = () => read("a.ts", output("a", 4_000));
    session.call(ran("make", output("make", 80_000)));
    session.call(file());
    session.call(file());
    // The newest three results stay in any case.
    session.call(...["a", "b", "c"].map((name) => ran(`date ${name}`, name)));
    for (let call = 0; call < 40; call++) session.call(said("I go on with what I have read."));
    const { candidates } = surveyHistory(session.view(), settings, 0);
    expect([...candidates.values()].map(({ dropReason }) => dropReason)).toEqual([
      "spent",
      "repeated",
      "spent",
    ]);
    const plan = planWarm(session.view(), settings);
    const ids = plan?.drops.map((edit) => (edit.verb === "replace" ? edit.at.partId : ""));
    expect(ids).toEqual([session.messages[2]?.parts[0]?.id ?? ""]);
  });

  test("a history is folded once calls have paid for reading it", () => {
    expect(planWarm(turns(2).view(), kept)).toBeNull();
    const plan = planWarm(turns(60).view(), kept);
    // One record for the work of each turn beyond the tail.
    expect(plan?.folds).toHaveLength(58);
    const works = turns(60).messages.filter((_, at) => at % 3 === 1);
    expect(plan?.folds.map(({ first }) => first)).toEqual(
      works.slice(0, 58).map(({ info }) => info.id),
    );
    expect(plan?.folds.every(({ first, last }) => first === last)).toBe(true);
    expect(plan?.saved).toBeGreaterThan(40_000);
  });
});

describe("where the cache is dead or given up", () => {
  test("all that can go goes, at no cost but under pressure and by command", () => {
    const view = turns(30).view();
    const [cold, asked, pressure] = (["cold", "asked", "pressure"] as const).map((reason) =>
      planFree(view, kept, reason),
    );
    expect(cold).toMatchObject({ reason: "cold", cost: 0 });
    expect(asked?.cost).toBeGreaterThan(0);
    expect(pressure?.cost).toBe(asked?.cost as number);
    expect([cold?.folds.length, asked?.folds.length]).toEqual([28, 28]);
    expect(asked?.saved).toBe(cold?.saved as number);
  });

  test("a fold that is said once more, in a model's words, costs all that stands from it on", () => {
    const session = turns(30);
    session.commit(planFree(session.view(), kept, "cold")?.folds ?? []);
    session.call(said("It is done."));
    session.prompt("Once more.");
    const range = session.messages.slice(1, 2);
    const words = "The heron nests.";
    session.written = [
      {
        ...{ firstId: range[0]?.info.id ?? "", lastId: range[0]?.info.id ?? "", place: 1 },
        ...{ messageCount: 1, digest: digestRange(range), kind: "fix", importance: 100 },
        texts: { full: words, short: words, brief: words, line: words },
      },
    ];
    const tail = { ...settings, keepTokens: 100_000 };
    expect(planFree(session.view(), tail, "cold")).toMatchObject({ cost: 0, saved: 0, drops: [] });
    const asked = planFree(session.view(), tail, "asked");
    expect(asked?.folds[0]?.text).toContain(`> ${words}`);
    const { sheet } = surveyHistory(session.view(), tail, 0);
    const from = sheet.rows.findIndex(({ kind }) => kind === "fold");
    const sent = sheet.rows
      .slice(from)
      .filter(({ last }) => last <= (session.view().watermark?.index ?? -1));
    const tokens = sent.reduce((sum, row) => sum + row.tokens, 0);
    expect(asked?.cost).toBeCloseTo(1.15 * tokens);
  });

  test("nothing beyond the tail: nothing goes", () => {
    expect(planFree(turns(3).view(), { ...settings, keepTokens: 100_000 }, "asked")).toBeNull();
  });

  test("the tail is given up by halves where the call would not fit comfortably", () => {
    const tight = turns(12, 22_000);
    const sizeAfter = (
      usableTokens: number | null,
      reason: "asked" | "pressure" | "cold",
      keepTokens = 8_000,
    ) => {
      const { space, ...view } = tight.view();
      const set = { ...settings, keepTokens };
      const plan = planFree({ ...view, space: { ...space, usableTokens } }, set, reason);
      return space.estimatedTokens - (plan?.saved ?? 0);
    };
    const roomy = sizeAfter(WINDOW, "pressure");
    expect(sizeAfter(null, "pressure")).toBe(roomy);
    // It fits by 0.9 of the window, and not by 0.75.
    const between = Math.floor(roomy / 0.8);
    expect(sizeAfter(between, "asked")).toBe(roomy);
    expect(sizeAfter(between, "cold")).toBe(roomy);
    expect(sizeAfter(between, "pressure")).toBeLessThan(0.76 * between);
    // A half was enough.
    expect(sizeAfter(between, "pressure")).toBe(sizeAfter(null, "pressure", 4_000));
    const small = Math.floor(roomy / 1.1);
    expect(sizeAfter(small, "asked")).toBeLessThan(0.76 * small);
  });

  test("where nothing more can go the call is left as it is, whether it fits or not", () => {
    const session = new SimulatedSession(168_000, null);
    session.prompt("Look.");
    session.call(ran("make", output("make", 40_000)));
    session.call(said("I see."));
    session.prompt("word ".repeat(20_000));
    session.call(said("On."));
    const { space, ...view } = session.view();
    const left = space.estimatedTokens - (planFree({ ...view, space }, fixed, "asked")?.saved ?? 0);
    const planIn = (share: number) =>
      planFree(
        { ...view, space: { ...space, usableTokens: Math.round(left / share) } },
        fixed,
        "pressure",
      );
    const roomy = planIn(0.5);
    expect(roomy?.saved).toBeGreaterThan(9_000);
    for (const share of [0.85, 0.95]) expect(planIn(share)).toEqual(roomy);
  });

  test("results that nobody has read yet are cut to their ends where nothing else makes room", () => {
    const session = new SimulatedSession(20_000, null);
    session.prompt("Look.");
    session.call(ran("make", output("make", 60_000)));
    const plan = planFree(session.view(), fixed, "pressure");
    expect(plan).toMatchObject({ reason: "pressure", folds: [], cost: 0 });
    const { estimatedTokens } = session.view().space;
    expect(estimatedTokens - (plan?.saved ?? 0)).toBeLessThan(0.76 * 20_000);
    expect(plan?.drops[0]).toMatchObject({
      verb: "replace",
      text: expect.stringContaining(
        "characters are not shown here: the call would not have fitted",
      ),
    } as never);
  });
});

describe("before a decision", () => {
  test("a call is over full from nine tenths of the window on, and never where nobody knows it", () => {
    const view = turns(4).view();
    const size = view.space.estimatedTokens;
    const isFull = (usableTokens: number | null) =>
      isOverfull({ ...view, space: { ...view.space, usableTokens } }, settings);
    expect([isFull(Math.ceil(size / 0.9)), isFull(Math.floor(size / 0.9) - 1)]).toEqual([
      ...[false, true],
    ]);
    expect(isFull(null)).toBe(false);
  });

  test("what is loose is what could go by itself, whether it pays or not", () => {
    expect(countDroppableTokens(talked(2).view(), fixed)).toBeGreaterThan(9_000);
    expect(countDroppableTokens(talked(2).view(), { ...settings, keepTokens: 50_000 })).toBe(0);
    expect(countDroppableTokens(turns(4).view(), fixed)).toBe(0);
  });

  test("a fold nears with six tenths of its rent, or of the window", () => {
    const nears = (count: number, change: object = {}) =>
      isFoldNear(turns(count).view(), { ...kept, ...change });
    const firstNear = Array.from({ length: 60 }, (_, count) => count).find((count) => nears(count));
    const firstPaid = Array.from({ length: 60 }, (_, count) => count).find(
      (count) => planWarm(turns(count).view(), kept) !== null,
    );
    expect(firstNear).toBeGreaterThan(1);
    expect(firstNear).toBeLessThan(firstPaid ?? 0);
    expect(nears(59, { rewrite: "pressure" })).toBe(false);
    const view = turns(60).view();
    expect(isFoldNear({ ...view, watermark: null }, kept)).toBe(false);
    const size = view.space.estimatedTokens;
    const within = (usableTokens: number) =>
      isFoldNear(
        { ...view, space: { ...view.space, usableTokens } },
        { ...kept, rewrite: "pressure" },
      );
    expect([within(Math.ceil(size / 0.6)), within(Math.floor(size / 0.6) - 1)]).toEqual([
      ...[false, true],
    ]);
  });

  test("each boundary has its reason: nothing is decided at an ordinary one", () => {
    expect((["ordinary", "reverted"] as const).map((kind) => toReason({ kind } as never))).toEqual([
      ...[null, null],
    ]);
    const cold = ["first", "compacted", "moved", "replaced", "model", "folded", "idle"] as const;
    for (const kind of cold) expect(toReason({ kind } as never)).toBe("cold");
    expect(
      (["worth", "pressure", "command"] as const).map((kind) => toReason({ kind } as never)),
    ).toEqual([...(["worth", "pressure", "asked"] as const)]);
  });

  test("turned down to pressure, a dead cache is used only where the call is over full", () => {
    const session = turns(30);
    const at = (rewrite: "worth" | "pressure", usableTokens: number) => {
      const view = session.view({ kind: "first" });
      const space = { ...view.space, usableTokens };
      return planBoundary({ ...view, space }, { ...kept, rewrite }) !== null;
    };
    expect([at("worth", WINDOW), at("pressure", WINDOW), at("pressure", 20_000)]).toEqual([
      ...[true, false, true],
    ]);
    expect(planBoundary(session.view({ kind: "ordinary" }), kept)).toBeNull();
    const paid = { ...turns(60).view(), boundary: { kind: "worth" } } as const;
    expect(planBoundary(paid, kept)?.folds).toHaveLength(58);
    expect(planBoundary(paid, kept)).toEqual(planWarm(paid, kept));
  });
});
