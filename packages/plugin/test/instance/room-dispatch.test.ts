import { expect, test } from "bun:test";
import type { OpenRoom } from "../../src/features/open-rooms.ts";
import { roomDispatch } from "../../src/instance/room-dispatch.ts";
import type { SessionId } from "../../src/storage/records.ts";

const busy = { kind: "busy", sessionId: "ses_1" as SessionId } as const;

const worksOn = { worked: () => undefined, storageWorks: () => undefined };

test("rooms hear in the order of the list, one after the other, and the instance itself before them", async () => {
  const heard: string[] = [];
  const room = (feature: string, delayMs: number): OpenRoom => ({
    feature,
    hooks: {
      heard: async ({ kind }) => {
        await Bun.sleep(delayMs);
        heard.push(`${feature} ${kind}`);
      },
    },
  });
  const rooms = [room("slow", 5), { feature: "deaf" }, room("quick", 0)];
  const failures = { ...worksOn, failed: () => undefined };
  const dispatch = roomDispatch(rooms, failures, { heard: () => void heard.push("instance") });
  const done = dispatch("heard", busy);
  expect(heard).toEqual(["instance"]);
  await done;
  expect(heard).toEqual(["instance", "slow busy", "quick busy"]);
});

test("I15: a hook that throws is reported under its feature's name and its own, and the next room hears", async () => {
  const failures: unknown[] = [];
  const heard: string[] = [];
  const error = new TypeError("of a room");
  const thrower = () => {
    throw error;
  };
  const rooms: readonly OpenRoom[] = [
    { feature: "throws", hooks: { heard: thrower, closed: thrower } },
    { feature: "rejects", hooks: { heard: () => Promise.reject(error) } },
    { feature: "sound", hooks: { heard: ({ kind }) => void heard.push(kind) } },
  ];
  const dispatch = roomDispatch(rooms, { ...worksOn, failed: (where) => failures.push(where) }, {});
  await dispatch("heard", busy);
  await dispatch("closed");
  expect(heard).toEqual(["busy"]);
  expect(failures).toEqual(["throws.heard", "rejects.heard", "throws.closed"]);
});

test("after the end no room hears of anything: what a timer says late finds nothing open", async () => {
  const heard: string[] = [];
  const hooks = { heard: () => void heard.push("heard"), closed: () => void heard.push("closed") };
  const failed = (where: string) => void heard.push(where);
  const dispatch = roomDispatch([{ feature: "room", hooks }], { ...worksOn, failed }, hooks);
  await dispatch("closed");
  await dispatch("heard", busy);
  await dispatch("closed");
  expect(heard).toEqual(["closed", "closed"]);
});
