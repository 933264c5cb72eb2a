import { expect, test } from "bun:test";
import { findIndices } from "../../src/ledger/edit.ts";
import { text, user } from "./history.ts";

const messages = ["a", "b", "c", "d", "b", "e"].map((id) => user(id, text(id)));

const findAllIndices = (...ids: readonly string[]) => [...findIndices(new Set(ids), messages)];

test("messages are found by id, the newest of those that share one", () => {
  expect(findAllIndices("a")).toEqual([["a", 0]]);
  expect(findAllIndices("b", "a")).toEqual([
    ["b", 4],
    ["a", 0],
  ]);
  expect(findAllIndices("a", "b", "c", "d", "e")).toEqual([
    ["e", 5],
    ["b", 4],
    ["d", 3],
    ["c", 2],
    ["a", 0],
  ]);
});

test("what stands nowhere is left out, of few ids and of many", () => {
  expect(findAllIndices()).toEqual([]);
  expect(findAllIndices("x")).toEqual([]);
  expect(findAllIndices("x", "b", "y", "c", "z")).toEqual([
    ["b", 4],
    ["c", 2],
  ]);
});
