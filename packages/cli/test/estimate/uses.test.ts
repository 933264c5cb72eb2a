import { expect, test } from "bun:test";
import { type StepTexts, Uses } from "../../src/estimate/uses.ts";

function said(...texts: readonly string[]): StepTexts {
  return { texts, editedText: "" };
}

test("a step used a result of which it says two names, paths, hashes or numbers", () => {
  const uses = new Uses();
  uses.result(0, "export function readPrice(cents_total) { return 48231; }");
  uses.result(1, "commit 9f3ab27c1 by somebody");
  expect(uses.step(said("I change readPrice."))).toEqual([]);
  expect(uses.step(said("cents_total is 48231."))).toEqual([0]);
});

test("plain words, short numbers and line numbers say nothing", () => {
  const uses = new Uses();
  uses.result(0, "00012| return the value\n00013| for 27 of them");
  expect(uses.step(said("return the value for 27 at 00012 and 00013"))).toEqual([]);
});

test("a path from the root is that from the project, and a folder's file is no other's", () => {
  const uses = new Uses();
  uses.result(0, "src/shop/cart.ts\nsrc/shop/till.ts");
  expect(uses.step(said("/home/ada/work/src/shop/cart.ts", "shop/till.ts"))).toEqual([0]);
  uses.result(1, "src/shop/menu.ts\nsrc/shop/door.ts");
  expect(uses.step(said("src/park/menu.ts", "src/park/door.ts"))).toEqual([]);
});

test("what a prompt or the model has said since is known without the result; what is read again is not", () => {
  const uses = new Uses();
  uses.prompt("Look at oneThing and otherThing.");
  uses.result(0, "oneThing otherThing thirdThing fourthThing");
  expect(uses.step(said("oneThing otherThing"))).toEqual([]);
  expect(uses.step(said("thirdThing fourthThing"))).toEqual([0]);
  expect(uses.step(said("thirdThing fourthThing"))).toEqual([]);
  uses.result(1, "thirdThing fourthThing");
  expect(uses.step(said("thirdThing fourthThing"))).toEqual([1]);
});

test("of several results it is the newest; of more than four, none", () => {
  const uses = new Uses();
  for (const result of [0, 1, 2, 3]) uses.result(result, "firstName secondName");
  expect(uses.step(said("firstName secondName"))).toEqual([3]);
  uses.result(4, "firstName secondName");
  expect(uses.step(said("firstName secondName"))).toEqual([]);
});

test("one edited line of 25 characters is enough, and a shorter one isn't", () => {
  const uses = new Uses();
  uses.result(0, "00001|   when the shop is open, begin\n00002|   shut");
  const edited = (editedText: string) => uses.step({ texts: [], editedText });
  expect(edited("shut")).toEqual([]);
  expect(edited("  when the shop is open, begin")).toEqual([0]);
  expect(edited("  when the shop is open, begin")).toEqual([]);
});

test("two results used in one step are both named", () => {
  const uses = new Uses();
  uses.result(0, "aFirst bFirst");
  uses.result(1, "aSecond bSecond");
  expect(uses.step(said("aSecond bSecond", "aFirst bFirst"))).toEqual([1, 0]);
});
