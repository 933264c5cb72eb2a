import { expect, test } from "bun:test";
import { rareWords } from "../../src/estimate/rare-words.ts";

function found(text: string): readonly string[] {
  return [...rareWords(text)];
}

test("names with a hump, an underscore or a digit inside, numbers of four digits, hashes", () => {
  expect(found("readPrice cents_total v2beta 48231 9f3ab27c1 item7 $cartSum")).toEqual([
    "readPrice",
    "cents_total",
    "v2beta",
    "48231",
    "9f3ab27c1",
    "item7",
    "$cartSum",
  ]);
  expect(found("price Price PRICE 123 _x a1 __init $$$$ words, and more.")).toEqual([]);
});

test("words that are joined by dots, dashes and signs count one by one", () => {
  expect(found("cart.readPrice(item_id) @team-one/x.twoParts")).toEqual([
    "readPrice",
    "item_id",
    "team-one/x.twoParts",
  ]);
  expect(found("a.b-cDef@gHij...")).toEqual(["cDef", "gHij"]);
});

test("a path counts by its last two parts, however it ends", () => {
  expect(found("/home/ada/src/cart.ts, src/cart.ts: (./till/open.ts)")).toEqual([
    "src/cart.ts",
    "till/open.ts",
  ]);
  expect(found("either/or and 50/50/")).toEqual(["either/or", "50/50"]);
});

test("what is in no Latin script breaks words, and the end of the text ends one", () => {
  expect(found("préfixOne naïve_two 価格readPrice")).toEqual(["fixOne", "ve_two", "readPrice"]);
});
