import { describe, expect, test } from "bun:test";
import {
  computeSparedShare,
  countHeadMessages,
  type Folding,
  improveFold,
  listFoldings,
  renderFold,
} from "../../src/history/foldings.ts";
import type { MeasuredRow } from "../../src/history/measured-history.ts";
import { planFree } from "../../src/history/plan.ts";
import { type HistorySurvey, surveyHistory } from "../../src/history/survey.ts";
import { listWork } from "../../src/history/work.ts";
import { digestRange, type WrittenSegment } from "../../src/history/written.ts";
import { type HostMessage, type HostPart, isText } from "../../src/ledger/message.ts";
import { estimateMessageTokens, estimateTokens } from "../../src/ledger/tokens.ts";
import { assistant, done, synthetic, text, user } from "../ledger/history.ts";
import { output, ran, SimulatedSession, said, settings, tool } from "./simulation.ts";

/** Turns of a prompt, work of about 1,000 tokens and an answer, and the newest prompt. */
function talked(turns: number): SimulatedSession {
  const session = new SimulatedSession(168_000, null);
  for (let turn = 0; turn < turns; turn++) {
    session.prompt(`Do ${turn}.`);
    session.call(said(`Step ${turn}.`), ran(`step ${turn}`, output(`step ${turn}`, 4_000)));
    session.call(said(`Did ${turn}.`));
  }
  session.prompt("And now?");
  return session;
}

const surveyed = (session: SimulatedSession, keepTokens = 0) =>
  surveyHistory(session.view(), settings, keepTokens);
const listStretches = (some: readonly Folding[]) =>
  some.map(({ kind, stretches }) => [
    kind,
    ...stretches.map(({ first, last }) => `${first}-${last}`),
  ]);

/** A session of four turns, whose work is folded. */
function folded(): SimulatedSession {
  const session = talked(4);
  const plan = planFree(session.view(), { ...settings, keepTokens: 0 }, "asked");
  session.commit(plan?.folds ?? []);
  return session;
}

/** The same, and three more turns. */
function grown(): SimulatedSession {
  const session = folded();
  session.call(said("It is done."));
  for (let turn = 0; turn < 3; turn++) {
    session.prompt(`Then ${turn}.`);
    session.call(ran(`then ${turn}`, output(`then ${turn}`, 4_000)));
    session.call(said(`Done ${turn}.`));
  }
  session.prompt("And now?");
  return session;
}

/** What the first folding that can be made says. */
function firstFolds(session: SimulatedSession) {
  const survey = surveyed(session);
  const [first] = listFoldings(survey);
  return (first && renderFold(survey, first)?.folds) ?? [];
}

const textLength = (text: string) => text.length;
const tokensIn = (folds: readonly { readonly text: string }[]) =>
  folds.reduce((sum, { text }) => sum + estimateTokens(text), 0);
const isRecord = (part: HostPart) => isText(part) && part.text.startsWith("<session-history>");

describe("what can be folded", () => {
  test("is all work beyond the tail, one stretch between any two words, but for the newest answer", () => {
    const session = talked(4);
    const stretches = ["1-1", "4-4", "7-7", "10-10"];
    expect(listStretches(listFoldings(surveyed(session)))).toEqual([["whole", ...stretches]]);
    const tail = session.messages
      .slice(-5)
      .reduce((sum, one) => sum + estimateMessageTokens(one), 0);
    const before = (tokens: number) => listStretches(listFoldings(surveyed(session, tokens)));
    expect(before(tail)).toEqual([["whole", ...stretches.slice(0, -1)]]);
    expect(before(tail + 1)).toEqual([["whole", ...stretches.slice(0, -2)]]);
    expect(before(100_000)).toEqual([]);
    // What nobody has read yet stays.
    session.call(ran("look", output("look", 24_000)));
    expect(before(0)).toEqual([["whole", ...stretches]]);
  });

  test("leaves what the host's compaction put at the head", () => {
    const compaction = { type: "compaction" } as const;
    expect(countHeadMessages([user("c", compaction)])).toBe(2);
    expect(countHeadMessages([user("c", text("A note."), compaction)])).toBe(2);
    expect([countHeadMessages([user("u", text("A prompt."))]), countHeadMessages([])]).toEqual([
      0, 0,
    ]);
    const session = talked(4);
    const [first] = session.messages;
    if (!first) throw new Error("no message");
    session.messages[0] = {
      ...first,
      parts: [{ ...first.parts[0], ...compaction }],
    } as HostMessage;
    expect(listStretches(listFoldings(surveyed(session)))).toEqual([
      ["whole", "4-4", "7-7", "10-10"],
    ]);
  });

  test("is work of 300 tokens or more; of the turn that runs, of 4,000", () => {
    const running = (chars: number) => {
      const session = talked(3);
      session.call(ran("look", output("look", chars)));
      session.call(said("On."));
      return listStretches(listFoldings(surveyed(session)));
    };
    expect(running(24_000)).toEqual([["whole", "1-1", "4-4", "7-7", "10-10"]]);
    expect(running(8_000)).toEqual([["whole", "1-1", "4-4", "7-7"]]);
    const ended = (chars: number) => {
      const session = new SimulatedSession(168_000, null);
      session.prompt("Look.");
      session.call(ran("look", output("look", chars)));
      session.call(said("I see."));
      session.prompt("And now?");
      return listFoldings(surveyed(session));
    };
    const [least] = Array.from({ length: 400 }, (_, at) => 4 * (at + 1)).flatMap((chars) =>
      ended(chars).map(({ rowTokens }) => rowTokens),
    );
    expect(least).toBe(300);
  });

  test("of a range is what stands between the words, in as few stretches as there can be", () => {
    const messages = [
      user("u0", text("Do it.")),
      ...["a1", "a2"].map((id) => assistant(id, text("I look."), done("c", "ok"))),
      assistant("a3", text("It is done.")),
      assistant("a4", done("c", "ok")),
      user("u5", synthetic("a reminder")),
      assistant("a6", done("c", "ok")),
    ];
    const stretches = (first: number, last: number) =>
      listWork(messages, { first, last }).map((stretch) => `${stretch.first}-${stretch.last}`);
    expect(stretches(0, 6)).toEqual(["1-2", "4-4", "6-6"]);
    expect(stretches(2, 4)).toEqual(["2-2", "4-4"]);
    expect(stretches(1, 1)).toEqual(["1-1"]);
    expect([stretches(0, 0), stretches(3, 3), stretches(5, 5), stretches(4, 3)]).toEqual([
      ...[[], [], [], []],
    ]);
  });

  test("leaves the last of the work between two messages of the user's, who follow each other in no request", () => {
    const work = (id: string) => assistant(id, text("I look."), done("c", "ok"));
    const messages = [
      user("u0", text("Do it.")),
      ...["a1", "a2", "a3"].map(work),
      user("u4", text("Wait.")),
      work("a5"),
      user("u6", text("Go on.")),
      ...["a7", "a8"].map(work),
      assistant("a9", text("Done.")),
    ];
    const stretches = (first: number, last: number) =>
      listWork(messages, { first, last }).map((stretch) => `${stretch.first}-${stretch.last}`);
    expect(stretches(0, 9)).toEqual(["1-2", "7-8"]);
    // The user's next message stands beyond the range, or his last before it.
    expect([stretches(0, 3), stretches(0, 2)]).toEqual([["1-2"], ["1-2"]]);
    expect([stretches(1, 9), stretches(5, 5)]).toEqual([["1-2", "7-8"], []]);
    // An answer stands between them where work came after it, and at the head nobody's words do.
    const closed = [...messages.slice(0, 3), assistant("a3", text("Done.")), ...messages.slice(3)];
    expect(listWork(closed, { first: 0, last: 5 })).toEqual([
      { first: 1, last: 2 },
      { first: 4, last: 4 },
    ]);
    expect(listWork(messages.slice(1), { first: 0, last: 3 })).toEqual([{ first: 0, last: 2 }]);
  });

  test("after a fold is the work that came since, or all of it; only words came since: nothing", () => {
    const session = grown();
    const since = ["15-15", "18-18", "21-21"];
    expect(listStretches(listFoldings(surveyed(session)))).toEqual([
      ["append", ...since],
      ["whole", "1-1", "4-4", "7-7", "10-10", ...since],
    ]);
    expect(listFoldings(surveyed(folded()))).toEqual([]);
    const talking = folded();
    talking.call(said("It is done."));
    talking.prompt("Thanks.");
    expect(listFoldings(surveyed(talking))).toEqual([]);
    expect(listFoldings(surveyed(talking, 100_000))).toEqual([]);
  });

  test("appended, leaves each former record as it is", () => {
    const session = grown();
    const shown = () => session.view().projected.flatMap(({ parts }) => parts.filter(isRecord));
    const before = shown();
    expect(before).toHaveLength(4);
    session.commit(firstFolds(session));
    expect(shown()).toHaveLength(7);
    expect(shown().slice(0, 4)).toEqual(before);
  });

  test("counts its rows' tokens, and those of the records among them as folded before", () => {
    const survey = surveyed(grown());
    const [append, whole] = listFoldings(survey);
    const records = survey.sheet.rows.filter(({ kind }) => kind === "fold");
    const tokens = records.reduce((sum, row) => sum + row.tokens, 0);
    expect(records).toHaveLength(4);
    expect(append?.formerTokens).toBe(0);
    expect(whole?.formerTokens).toBe(tokens);
    expect(whole?.rowTokens).toBe((append?.rowTokens ?? 0) + tokens);
  });
});

describe("the share of a row that a fold spares", () => {
  const row = (kind: MeasuredRow["kind"], first: number) => ({ kind, first }) as MeasuredRow;
  const [fold, own, other] = [row("fold", 0), row("own", 5), row("own", 9)];
  const whole: Folding = {
    kind: "whole",
    stretches: [{ first: 0, last: 7 }],
    rows: new Set([fold, own]),
    rowTokens: 1_100,
    formerTokens: 100,
  };

  test("is what the text leaves of it; of the former fold nothing, of other rows none", () => {
    const share = computeSparedShare(whole, 350);
    expect([share(own), share(fold), share(other)]).toEqual([0.75, 0, null]);
    expect(computeSparedShare(whole, 60)(own)).toBe(1);
    expect(computeSparedShare(whole, 5_000)(own)).toBe(0);
    expect(computeSparedShare({ ...whole, rowTokens: 100 }, 60)(own)).toBe(0);
    // Wherever it stands among them, and whichever folding it is.
    const between = { ...whole, kind: "append", stretches: [{ first: -3, last: 7 }] } as const;
    expect([own, fold, other].map(computeSparedShare(between, 350))).toEqual([0.75, 0, null]);
  });
});

describe("what is said in place of messages", () => {
  const written = (
    session: SimulatedSession,
    [first, last]: readonly [number, number],
    words: string,
  ) => {
    const range = session.messages.slice(first, last + 1);
    const texts = { full: words, short: words, brief: words, line: words };
    return {
      ...{ firstId: range[0]?.info.id ?? "", lastId: range.at(-1)?.info.id ?? "", place: first },
      ...{ messageCount: range.length, digest: digestRange(range), kind: "fix", importance: 100 },
      texts,
    } satisfies WrittenSegment as WrittenSegment;
  };

  /** What records of all that can be folded say under such a budget. */
  const sayWith = (survey: HistorySurvey, budgetTokens: number) => {
    const [whole] = listFoldings(survey);
    if (!whole) throw new Error("nothing to fold");
    return renderFold({ ...survey, settings: { ...settings, budgetTokens } }, whole);
  };

  test("fits the budget of all records together, or nothing is said", () => {
    const survey = surveyed(talked(8));
    const roomy = sayWith(survey, 8_000);
    expect(roomy?.folds).toHaveLength(8);
    const tokens = roomy?.tokens ?? 0;
    expect(sayWith(survey, tokens)).toEqual(roomy);
    const tight = sayWith(survey, tokens - 60);
    expect(tight?.folds).toHaveLength(8);
    expect(tight?.tokens).toBeLessThanOrEqual(tokens - 60);
    expect(tight?.tokens).toBe(tokensIn(tight?.folds ?? []));
    expect(sayWith(survey, 100)).toBeNull();
    // What the records that stay say already is counted in.
    const grownSurvey = surveyed(grown());
    const [append, whole] = listFoldings(grownSurvey);
    if (!append || !whole) throw new Error("nothing to fold");
    const appended = renderFold(grownSurvey, append)?.tokens ?? 0;
    const within = (budgetTokens: number) => ({
      ...grownSurvey,
      settings: { ...settings, budgetTokens },
    });
    const full = whole.formerTokens + appended;
    expect(renderFold(within(full), append)?.tokens).toBe(appended);
    expect(renderFold(within(full - 1), append)?.tokens ?? 0).toBeLessThan(appended);
    expect(renderFold(within(whole.formerTokens), append)).toBeNull();
  });

  test("is as short as 60 tokens for little work, and 250 at most for a stretch of much", () => {
    const little = sayWith(surveyed(talked(4)), 8_000);
    expect(little?.folds).toHaveLength(4);
    expect(tokensIn(little?.folds ?? [])).toBeWithin(4 * 40, 4 * 60 + 1);
    const long = new SimulatedSession(168_000, null);
    long.prompt("Do it all.");
    for (let step = 0; step < 60; step++) {
      long.call(said(`Step ${step}.`), ran(`step ${step}`, output(`step ${step}`, 4_000)));
    }
    const much = sayWith(surveyed(long), 8_000);
    expect(much?.folds).toHaveLength(1);
    expect(much?.tokens).toBeWithin(100, 251);
  });

  test("leaves out a stretch that it would hardly shorten, and says the others", () => {
    const session = talked(3);
    for (let step = 0; step < 3; step++) {
      const questions = [{ question: `Which of all of these, at ${step}? `.repeat(20) }];
      session.call(tool("question", { questions }, `The heron at ${step}. `.repeat(60)));
    }
    session.call(said("So be it."));
    session.prompt("And now?");
    session.call(said("On."));
    const survey = surveyed(session);
    const [whole] = listFoldings(survey);
    expect(whole && listStretches([whole])).toEqual([["whole", "1-1", "4-4", "7-7", "10-12"]]);
    const said3 = whole && renderFold(survey, whole);
    expect(said3 && listStretches([said3.folding])).toEqual([["whole", "1-1", "4-4", "7-7"]]);
    expect(said3?.folds).toHaveLength(3);
    const rowTokens = [...(said3?.folding.rows ?? [])].reduce((sum, row) => sum + row.tokens, 0);
    expect(said3?.folding.rowTokens).toBe(rowTokens);
  });

  test("says less of what is older", () => {
    // In one record, and from one to the next where there is too little room for all.
    const long = new SimulatedSession(168_000, null);
    long.prompt("Do it all.");
    for (let step = 0; step < 120; step++) {
      long.call(said(`Step ${step}.`), ran(`step ${step}`, output(`step ${step}`, 4_000)));
    }
    const record = sayWith(surveyed(long), 8_000)?.folds[0]?.text ?? "";
    const entries = record.split(/\n\n(?=\[h:)/).slice(1);
    expect(entries.length).toBeGreaterThan(2);
    const tight = sayWith(surveyed(talked(60)), 2_700);
    const texts = tight?.folds.map(({ text }) => text) ?? [];
    for (const sizes of [entries, texts].map((some) => some.map(textLength))) {
      expect(sizes.at(-1)).toBeGreaterThan(sizes.at(0) ?? 0);
      expect(sizes).toEqual(sizes.toSorted((one, other) => one - other));
    }
  });

  test("keeps what the user answered and refused whole, beside what its budget leaves", () => {
    const session = talked(2);
    const answer = `Take the blue one, as ${"the others are gone, ".repeat(12)}and no other`;
    const said4 = `User has answered your questions: "Which?"="${answer}". You can now continue`;
    const questions = [{ question: "Which?" }];
    session.call(tool("question", { questions }, said4));
    session.call(ran("make", output("make", 24_000)));
    session.call(said("It is blue."));
    session.prompt("And now?");
    session.call(said("On."));
    for (const budgetTokens of [8_000, 190]) {
      const records = sayWith(surveyed(session), budgetTokens)?.folds ?? [];
      expect(records).toHaveLength(3);
      expect(records.at(-1)?.text).toContain(
        `Asked: the user: “Which?”\n\nAnswered: "Which?"="${answer}"\n`,
      );
    }
  });

  test("is a model's words where it has written, and an extract elsewhere", () => {
    const session = talked(2);
    session.call(said("I look."), ran("look", output("look", 8_000)));
    session.call(said("I look on."), ran("look on", output("look on", 8_000)));
    session.call(ran("make", output("make", 40_000)));
    session.call(said("It is made."));
    session.prompt("And now?");
    session.call(said("On."));
    session.written = [written(session, [7, 8], "The heron nests.")];
    const records = sayWith(surveyed(session), 8_000)?.folds.map(({ text }) => text) ?? [];
    expect(records).toHaveLength(3);
    expect(records[0]).toContain("Said: Step 0.");
    expect(records[0]).not.toContain("Did 0.");
    expect(records[2]).toContain("> The heron nests.");
    expect(records[2]).not.toContain("I look.");
    expect(records[2]).toContain("$ make: ");
    const [before = 0, after = 0] = ["The heron", "$ make"].map((one) => records[2]?.indexOf(one));
    expect(before).toBeLessThan(after);
    // What reaches over words of the user's stands in no record.
    session.written = [written(session, [3, 8], "The heron nests.")];
    const none = sayWith(surveyed(session), 8_000)?.folds.map(({ text }) => text) ?? [];
    expect(none.join()).not.toContain("heron");
  });

  test("a fold is said once more when a model has written of what it says in extracts", () => {
    const session = folded();
    expect(improveFold(surveyed(session))).toBeNull();
    session.written = [written(session, [4, 4], "The heron nests.")];
    const improved = improveFold(surveyed(session));
    const texts = improved?.folds.map(({ text }) => text) ?? [];
    expect(texts.filter((text) => text.includes("> The heron nests."))).toHaveLength(1);
    const rows = [...(improved?.folding.rows ?? [])];
    expect(rows.map(({ kind }) => kind)).toEqual(texts.map(() => "fold" as const));
    // None grows by it: what would be longer than it is stays as it is.
    for (const [at, { tokens }] of rows.entries()) {
      expect(estimateTokens(texts[at] ?? "")).toBeLessThanOrEqual(tokens);
    }
    session.commit(improved?.folds ?? []);
    const heron = session.view().projected.filter((one) => JSON.stringify(one).includes("heron"));
    expect(heron.map(({ info }) => info.id)).toEqual([session.messages[3]?.info.id ?? ""]);
    expect(improveFold(surveyed(session))).toBeNull();
    const fresh = talked(4);
    fresh.written = [written(fresh, [4, 4], "The heron nests.")];
    expect(improveFold(surveyed(fresh))).toBeNull();
  });
});

describe("the newest prompt", () => {
  const promptIndexAfter = (...last: readonly HostMessage[]) => {
    const session = talked(1);
    session.messages.push(...last);
    return surveyed(session).promptIndex;
  };
  const image = { type: "file", mime: "image/png", url: "data:" } as const;

  test("is what a person wrote or attached last; a host's reminder is none", () => {
    expect(promptIndexAfter()).toBe(3);
    expect(promptIndexAfter(user("r", synthetic("a reminder")))).toBe(3);
    expect(promptIndexAfter(user("r", synthetic("a reminder"), text("Words.")))).toBe(4);
    expect(promptIndexAfter(user("f", image))).toBe(4);
    // The host reads a plain file to the model as a text of its own; a subtask is the host's.
    expect(promptIndexAfter(user("f", { ...image, mime: "text/plain" }))).toBe(3);
    expect(promptIndexAfter(user("s", { type: "subtask" }))).toBe(3);
    expect(promptIndexAfter(user("i", { ...text("a note"), ignored: true }))).toBe(3);
  });

  test("is the newest message of the user's where no person wrote any, and none where there is none", () => {
    const session = new SimulatedSession(168_000, null);
    session.messages.push(user("a", synthetic("one")), user("b", synthetic("two")));
    expect(surveyed(session).promptIndex).toBe(1);
    expect(surveyed(new SimulatedSession(168_000, null)).promptIndex).toBe(-1);
  });
});
