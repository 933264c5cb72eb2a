import { expect, test } from "bun:test";
import { layOutSystem } from "../../src/session/freeze.ts";

const afterOurs = (...after: readonly string[]) => ({ before: [], after });
const system = { preamble: "You help.", baseline: "Today.", live: "" };

test("split: each layer that there is stands alone, and other plugins' strings come last", () => {
  expect(layOutSystem(system, afterOurs("x", "y"), "split")).toEqual([
    "You help.",
    "Today.",
    "x",
    "y",
  ]);
});

test("joined: one string of ours, and one of all that other plugins have added", () => {
  expect(layOutSystem(system, afterOurs("x", "y"), "joined")).toEqual([
    "You help.\nToday.",
    "x\ny",
  ]);
  expect(layOutSystem(system, afterOurs(), "joined")).toEqual(["You help.\nToday."]);
});

test("what another plugin puts in front stays in front, and the Baseline ends at the second breakpoint", () => {
  const foreign = { before: ["You are a login."], after: ["x"] };
  expect(layOutSystem({ ...system, live: "Now." }, foreign, "split")).toEqual([
    "You are a login.",
    "You help.\nToday.",
    "Now.",
    "x",
  ]);
  expect(layOutSystem(system, foreign, "joined")).toEqual([
    "You are a login.",
    "You help.\nToday.",
    "x",
  ]);
});
