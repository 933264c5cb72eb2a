import { describe, expect, test } from "bun:test";
import { readRequest } from "../src/bench/arguments.ts";
import { AGES, writeSession } from "../src/bench/history/generate.ts";
import { FACT_KINDS, type SessionScript } from "../src/bench/history/session-script.ts";

const PLAN = { turns: 60, ages: AGES, lengthFactor: 1 };
const SEEDS = [1, 2, 3, 4, 5, 6];

/** Everything that a model can come to see of it, the questions apart. */
function allTexts({ files, turns }: SessionScript): string {
  const said = turns.flatMap((turn) =>
    turn.type === "work" ? [turn.prompt, turn.answer, JSON.stringify(turn.steps)] : [],
  );
  return [...Object.values(files), ...said].join("\n");
}

function questionsIn({ turns }: SessionScript) {
  return turns.flatMap((turn, askedIn) => (turn.type === "question" ? [{ ...turn, askedIn }] : []));
}

describe("sessions with questions", () => {
  const sessions = SEEDS.map((seed) => writeSession({ ...PLAN, seed }));

  test("the same seed writes the same session, another one another", () => {
    expect(writeSession({ ...PLAN, seed: 1 })).toEqual(sessions[0] as SessionScript);
    expect(sessions[1]?.files).not.toEqual(sessions[0]?.files as SessionScript["files"]);
  });

  test("a fact's answer stands once, and neither in its question nor in what is looked for", () => {
    for (const session of sessions) {
      const whole = allTexts(session);
      for (const { fact } of questionsIn(session)) {
        expect([fact.answer, whole.split(fact.answer).length - 1]).toEqual([fact.answer, 1]);
        expect(fact.line).toContain(fact.answer);
        expect(fact.question).not.toContain(fact.answer);
        expect(fact.query).not.toContain(fact.answer);
      }
    }
  });

  test("questions are of every kind and age, and each was stated so many turns before", () => {
    for (const session of sessions) {
      const questions = questionsIn(session);
      expect(questions.map(({ age }) => age).toSorted((left, right) => left - right)).toEqual([
        ...AGES,
      ]);
      expect(new Set(questions.map(({ fact }) => fact.kind)).size).toBe(FACT_KINDS.length);
      for (const { age, askedIn, fact } of questions) {
        const stated = session.turns[askedIn - age];
        expect(stated?.type === "work" && stated.facts.includes(fact)).toBe(true);
      }
    }
  });

  test("outputs are as much longer as the plan says", () => {
    const length = (lengthFactor: number) =>
      allTexts(writeSession({ ...PLAN, seed: 1, lengthFactor })).length;
    expect(length(3) / length(1)).toBeGreaterThan(2.5);
  });
});

test("npm run bench takes names of sections, parts of history, peers and a folder for details", () => {
  const sections = (...words: string[]) => readRequest(words)?.sections;
  expect(sections("history", "60k")).toEqual(["history-60k"]);
  expect(sections("history-200k", "bill")).toEqual(["bill", "history-200k"]);
  expect(sections("history")?.every((name) => name.startsWith("history-"))).toBe(true);
  expect(sections()?.length).toBeGreaterThan(7);
  expect(sections("pi", "recorded")).toEqual(["pi-recorded"]);
  expect(sections("real", "records")).toEqual(["real-records"]);
  expect(sections("real")).toEqual(["real"]);
  expect(sections("page")).toEqual([]);
  expect(readRequest(["real", "page"])).toBeNull();
  expect(readRequest(["history", "60k", "--details", "out", "--peer", "other=/p/x"])).toMatchObject(
    {
      sections: ["history-60k"],
      details: "out",
      peers: [{ name: "other", entry: "/p/x" }],
    },
  );
  expect(readRequest(["real", "--traces", "/t", "--session", "a", "--session", "b"])).toMatchObject(
    {
      ...{ sections: ["real"], traces: "/t", recorded: ["a", "b"] },
    },
  );
  expect(readRequest(["real", "--all"])?.recorded).toEqual(["all"]);
  expect(readRequest(["real"])?.traces).toEndWith("/shared/traces");
  expect([readRequest(["nothing"]), readRequest(["--details"]), readRequest(["--help"])]).toEqual([
    null,
    null,
    null,
  ]);
});
