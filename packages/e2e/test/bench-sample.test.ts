import { expect, test } from "bun:test";
import type { RecordedSession } from "../../cli/src/simulation/recorded.ts";
import { buildSection, groupSessions } from "../src/bench/pi/recorded-section.ts";
import { takeSample } from "../src/bench/real/sample.ts";

const made = (harness: string, steps: number): RecordedSession => ({
  ...{ session: `${harness}-${steps}`, model: "none", harness },
  turns: [{ chars: 1, steps: Array.from({ length: steps }, () => step) }],
});
const step = { chars: 1, calls: [], needs: [] };
const bill = (costs: number) => ({ bill: costs, askedAgain: 0, tooLong: 0 });

test("the sample is the median of each harness by steps, and the upper quartile of that with most sessions", () => {
  const all = [
    ...[9, 1, 5, 3, 7].map((steps) => made("common", steps)),
    ...[40, 10, 30, 20].map((steps) => made("even", steps)),
    made("rare", 2),
  ];
  const names = takeSample(all).map(({ session }) => session);
  expect(names).toEqual(["common-5", "common-7", "even-20", "rare-2"]);
});

test("recorded sessions on Pi: each group has its own table and mean, and the first one has the target", () => {
  const [a, b] = [made("one", 2), made("other", 4)];
  const pairs = [
    { recorded: a, stock: bill(100), ours: bill(40) },
    { recorded: b, stock: bill(100), ours: bill(80) },
  ];
  const first = { about: "First.", sessions: [a] };
  const { body, verdicts } = buildSection([first, { about: "Both.", sessions: [a, b] }], pairs);
  expect(body).toContain("First. Bill ÷ stock Pi in the mean: 0.400.");
  expect(body).toContain("Both. Bill ÷ stock Pi in the mean: 0.600.");
  expect(body.split("| one-2 |")).toHaveLength(3);
  expect(verdicts.map(({ measured, outcome }) => [measured, outcome])).toEqual([
    ["0.400", "met"],
    ["0", "met"],
  ]);
});

test("recorded sessions on Pi: all of them come beside the chosen ones, which keep the target", () => {
  const all = [made("one", 2), made("other", 4), made("other", 5), made("other", 6)];
  const names = groupSessions(all, ["all"]).map(({ sessions }) => sessions.length);
  expect(names).toEqual([3, 0, 4]);
  expect(groupSessions(all, []).map(({ sessions }) => sessions.length)).toEqual([3, 0]);
  expect(groupSessions(all, ["one-2"]).map(({ sessions }) => sessions)).toEqual([all.slice(0, 1)]);
});
