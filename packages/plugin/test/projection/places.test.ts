import { expect, test } from "bun:test";
import { indicesOf } from "../../src/projection/places.ts";
import { text, user } from "./history.ts";

const messages = ["a", "b", "c", "d", "b", "e"].map((id) => user(id, text(id)));

const placesOf = (...ids: readonly string[]) => [...indicesOf(new Set(ids), messages)];

test("messages are found by id, the newest of those that share one", () => {
  expect(placesOf("a")).toEqual([["a", 0]]);
  expect(placesOf("b", "a")).toEqual([
    ["b", 4],
    ["a", 0],
  ]);
  expect(placesOf("a", "b", "c", "d", "e")).toEqual([
    ["e", 5],
    ["b", 4],
    ["d", 3],
    ["c", 2],
    ["a", 0],
  ]);
});

test("what stands nowhere is left out, of few ids and of many", () => {
  expect(placesOf()).toEqual([]);
  expect(placesOf("x")).toEqual([]);
  expect(placesOf("x", "b", "y", "c", "z")).toEqual([
    ["b", 4],
    ["c", 2],
  ]);
});
