import { expect, test } from "bun:test";
import type { Room } from "../../src/features/feature.ts";
import type { House } from "../../src/features/house.ts";
import { openRooms } from "../../src/features/open-rooms.ts";

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
