import { expect, test } from "bun:test";
import { BoundedMap } from "../../src/context/bounded-map.ts";

test("what was set longest ago goes; what is set again is new, what is read is not", () => {
  const kept = new BoundedMap<string, number>(2);
  kept.set("a", 1).set("b", 2).set("a", 3);
  kept.get("b");
  kept.set("c", 4);
  expect([...kept]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});

test("a value is made once for its key, as long as it is kept", () => {
  const kept = new BoundedMap<string, { readonly made: number }>(2);
  let made = 0;
  const at = (key: string) => kept.getOrCreate(key, () => ({ made: ++made }));
  expect([at("a"), at("b"), at("a")].map((one) => one.made)).toEqual([1, 2, 1]);
  expect(at("c").made).toBe(3);
  expect(at("a").made).toBe(4);
});

test("what goes for something newer is heard of once, and what is deleted is not", () => {
  const gone: string[] = [];
  const kept = new BoundedMap<string, number>(2, (value, key) => void gone.push(`${key} ${value}`));
  kept.set("a", 1).set("b", 2);
  kept.delete("a");
  kept.set("c", 3).set("b", 4).set("d", 5);
  expect(gone).toEqual(["c 3"]);
});
