import { expect, test } from "bun:test";
import type { Room } from "../../src/features/feature.ts";
import type { House } from "../../src/features/house.ts";
import { type OpenRoom, onceOpen, openRooms } from "../../src/features/open-rooms.ts";

test("I15: a room that can't be opened stays shut, is reported, and costs no other one", async () => {
  const failures: unknown[] = [];
  const failed = (where: string, error: unknown) => void failures.push([where, error]);
  const house = { failures: { failed } } as Partial<House> as House;
  const first: Room = { policies: [] };
  const last: Room = { tools: [] };
  const error = new Error("a file is missing");
  const rooms = await openRooms(
    [
      { name: "first", open: async () => first },
      { name: "broken", open: () => Promise.reject(error) },
      { name: "last", open: async () => last },
    ],
    house,
  );
  expect(rooms).toEqual([
    { feature: "first", ...first },
    { feature: "last", ...last },
  ]);
  expect(failures).toEqual([["feature broken", error]]);
});

test("what is made of all open rooms is made once, and again when more are open", () => {
  const rooms: OpenRoom[] = [];
  const names = onceOpen(rooms, () => rooms.map(({ feature }) => feature));
  expect(names()).toEqual([]);
  rooms.push({ feature: "first" }, { feature: "last" });
  expect(names()).toEqual(["first", "last"]);
  expect(names()).toBe(names());
});
