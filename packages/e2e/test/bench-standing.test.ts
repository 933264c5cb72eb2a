import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { LENGTH } from "../src/bench/history/questions.ts";
import { STOCK_SIDE } from "../src/bench/history/sides.ts";
import {
  INSTRUCTIONS,
  type Instruction,
  isObeyed,
  WAYS,
} from "../src/bench/standing/instructions.ts";
import { playStanding, type StandingRun } from "../src/bench/standing/play.ts";
import { writeStanding } from "../src/bench/standing/script.ts";
import { buildSection } from "../src/bench/standing/section.ts";
import { TARGETS } from "../src/bench/targets.ts";
import { MODELS } from "../src/host/models.ts";

setDefaultTimeout(600_000);

const PLAN = { seed: 7, turns: 60, givenWithin: 40, lengthFactor: LENGTH } as const;

/** One of each way. */
const EACH_WAY = WAYS.flatMap((way) => INSTRUCTIONS.find((one) => one.way === way) ?? []);

describe("instructions that are given once", () => {
  test("there are 24 of all ways, and none holds another", () => {
    expect(INSTRUCTIONS).toHaveLength(24);
    expect(EACH_WAY).toHaveLength(WAYS.length);
    const texts = INSTRUCTIONS.map(({ text }) => text);
    const held = texts.filter((text) => texts.filter((other) => other.includes(text)).length !== 1);
    expect(held).toEqual([]);
  });

  test("each is typed once in turns 1 to 40, and matters once after them", () => {
    const { turns } = writeStanding({ ...PLAN, instructions: INSTRUCTIONS });
    expect(turns).toHaveLength(60);
    for (const { text } of INSTRUCTIONS) {
      const typed = turns.flatMap(({ work, reply }, at) =>
        [work.prompt, reply ?? ""].flatMap((words) => (words.includes(text) ? [at] : [])),
      );
      const matters = turns.flatMap(({ moments }, at) =>
        moments.some((one) => one.text === text) ? [at] : [],
      );
      expect([typed.length, matters.length]).toEqual([1, 1]);
      expect(typed[0]).toBeLessThan(40);
      expect(matters[0]).toBeGreaterThanOrEqual(40);
    }
  });

  test("nothing that the model or its tools say quotes one", () => {
    const { files, turns } = writeStanding({ ...PLAN, instructions: INSTRUCTIONS });
    const others = JSON.stringify([files, turns.map(({ work: { prompt: _, ...rest } }) => rest)]);
    expect(INSTRUCTIONS.filter(({ text }) => others.includes(text))).toEqual([]);
  });

  test("one is obeyed by who sees it whole, and one that was taken back by who sees that, after it", () => {
    const [short] = INSTRUCTIONS;
    if (!short) throw new Error("There are instructions");
    expect(isObeyed(short, `Before. ${short.text} After.`)).toBe(true);
    expect(isObeyed(short, short.text.slice(0, -1))).toBe(false);
    const takenBack = INSTRUCTIONS.find((one) => one.takenBackBy !== null) as Instruction;
    const back = String(takenBack.takenBackBy);
    const seen = [[takenBack.text], [takenBack.text, back], [back, takenBack.text], [back], []];
    expect(seen.map((texts) => isObeyed(takenBack, texts.join("\n")))).toEqual([
      ...[false, true, false, true, false],
    ]);
  });
});

test("on the real host, each way of saying it reaches the model, and OpenCode's compaction loses it", async () => {
  const instructions = EACH_WAY.filter(({ takenBackBy }) => takenBackBy === null);
  const script = writeStanding({
    ...{ ...PLAN, lengthFactor: 0.1, turns: 12, givenWithin: 9, instructions },
  });
  const played = await playStanding(script, {
    ...{ ...STOCK_SIDE, instructions, model: MODELS.anthropic, windowTokens: 200_000 },
    onTurn: () => undefined,
  });
  const ways = (some: readonly Instruction[]) => some.map(({ way }) => way).toSorted();
  const all = ways(instructions);
  expect(played.failed).toEqual([]);
  expect([ways(played.obeyed), ways(played.after.restart), ways(played.after.fork)]).toEqual([
    ...[all, all, all],
  ]);
  expect(played.after.compaction.length).toBeLessThan(instructions.length);
  expect([played.compactions, played.tooLong]).toEqual([0, 0]);
  expect(played.bill).toBeGreaterThan(0);
});

test("the section holds what stood against the targets that the code states", () => {
  const side = (name: string, some: readonly Instruction[]): StandingRun => ({
    ...{ side: name, obeyed: some, bill: 1_000, compactions: 0, tooLong: 0, failed: [] },
    after: { restart: some, fork: some, compaction: [] },
  });
  const sides = [side("stock", EACH_WAY), side("this plugin", INSTRUCTIONS)];
  const { body, verdicts } = buildSection([
    { tokens: 60_000, sides },
    { tokens: 200_000, sides },
  ]);
  expect(verdicts.map(({ target }) => target)).toEqual([...TARGETS.standing]);
  expect(verdicts.filter(({ outcome }) => outcome === "not met")).toHaveLength(2);
  expect(body).toContain(
    "| stock | 60,000 | 8 of 24 | 8 of 24 | 8 of 24 | 0 of 24 | 1,000 | 0 | 0 |",
  );
  expect(body).toContain("| in Chinese | 1 of 1 | 1 of 1 | 1 of 1 | 1 of 1 |");
});
