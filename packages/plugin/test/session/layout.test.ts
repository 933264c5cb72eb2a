import { expect, test } from "bun:test";
import { layoutSystem } from "../../src/session/layout.ts";

const system = { preamble: "You help.", baseline: "Today.", live: "" };

test("split: each layer that there is stands alone, and other plugins' strings come last", () => {
  expect(layoutSystem(system, ["x", "y"], "split")).toEqual(["You help.", "Today.", "x", "y"]);
});

test("joined: one string of ours, and one of all that other plugins have added", () => {
  expect(layoutSystem(system, ["x", "y"], "joined")).toEqual(["You help.\nToday.", "x\ny"]);
  expect(layoutSystem(system, [], "joined")).toEqual(["You help.\nToday."]);
});
