import { expect, test } from "bun:test";
import { ServerLink } from "../../src/tui/link.ts";
import type { AddressLookupResult } from "../../src/tui-server/address-file.ts";
import type { ChannelId } from "../../src/tui-server/protocol.ts";

const ID = "0123456789abcdef0123456789abcdef" as ChannelId;
const OTHER = "f".repeat(32) as ChannelId;

/** A link whose time passes by hand. */
function stand(find: (id: ChannelId) => AddressLookupResult = found) {
  const seen: string[] = [];
  let greetings = 0;
  let waiting: (() => void) | null = null;
  const delaysMs: number[] = [];
  const link = new ServerLink({
    greet: () => {
      greetings += 1;
    },
    find,
    connect: ({ id }) => {
      seen.push(`connect ${id.slice(0, 4)}`);
      return {
        status: () => Promise.reject(new Error("not asked here")),
        report: () => Promise.reject(new Error("not asked here")),
        queue: () => Promise.reject(new Error("not asked for")),
        watch: () => Promise.reject(new Error("not asked here")),
      };
    },
    later: (work, delayMs) => {
      waiting = work;
      delaysMs.push(delayMs);
      return () => {
        if (waiting === work) waiting = null;
      };
    },
    notifyChange: (next, client) => seen.push(client ? `${next.kind} to a client` : next.kind),
  });
  return {
    link,
    seen,
    delaysMs,
    greetings: () => greetings,
    isWaiting: () => waiting !== null,
    pass(times: number) {
      for (let index = 0; index < times; index += 1) waiting?.();
    },
  };
}

function found(id: ChannelId): AddressLookupResult {
  return { kind: "found", address: { protocol: 2, id, pid: 1, port: 1, token: "" } };
}

test("a server that answers is linked, and greeted no more", () => {
  const { link, seen, greetings, isWaiting } = stand();
  link.start();
  link.onAnnounced(ID);
  expect(seen).toEqual(["connect 0123", "linked to a client"]);
  expect(greetings()).toBe(1);
  expect(isWaiting()).toBe(false);
});

test("answers to other terminal UIs change nothing; another server's takes the former one's place", () => {
  const { link, seen } = stand();
  link.start();
  link.onAnnounced(ID);
  link.onAnnounced(ID);
  link.onAnnounced(OTHER);
  expect(seen.filter((each) => each.startsWith("connect"))).toEqual([
    "connect 0123",
    "connect ffff",
  ]);
});

test("a server that leaves three greetings unanswered lacks the plugin; it is greeted on, ever more seldom", () => {
  const { link, seen, delaysMs, greetings, pass } = stand();
  link.start();
  pass(2);
  expect(seen).toEqual([]);
  pass(1);
  expect(seen).toEqual(["absent"]);
  pass(20);
  expect(seen).toEqual(["absent"]);
  expect(greetings()).toBe(24);
  expect(delaysMs.at(-1)).toBe(60_000);
  link.onAnnounced(ID);
  expect(seen.at(-1)).toBe("linked to a client");
});

test("a server whose address is not on this machine is elsewhere; one that can't be read says why", () => {
  const elsewhere = stand(() => ({ kind: "missing" }));
  elsewhere.link.start();
  elsewhere.link.onAnnounced(ID);
  elsewhere.pass(10);
  expect(elsewhere.seen).toEqual(["elsewhere"]);
  const unusable = stand(() => ({ kind: "unusable", reason: "of another version" }));
  unusable.link.start();
  unusable.link.onAnnounced(ID);
  expect(unusable.seen).toEqual(["unusable"]);
});

test("a channel that breaks is lost, and found again when the server is back under another id", () => {
  const { link, seen, delaysMs, greetings, pass } = stand();
  link.start();
  link.onAnnounced(ID);
  link.onBroken();
  link.onBroken();
  pass(12);
  expect(delaysMs.at(-1)).toBe(4_000);
  expect(seen).toEqual(["connect 0123", "linked to a client", "lost"]);
  expect(greetings()).toBe(14);
  link.onAnnounced(OTHER);
  expect(seen.slice(3)).toEqual(["connect ffff", "linked to a client"]);
});

test("a host that comes back without the plugin is told apart from one that is gone", () => {
  const { link, seen, pass } = stand();
  link.start();
  link.onAnnounced(ID);
  link.onBroken();
  link.onServerConnected();
  pass(3);
  expect(seen.slice(2)).toEqual(["lost", "absent"]);
});

test("closed, it does nothing more", () => {
  const { link, seen, greetings, isWaiting } = stand();
  link.start();
  link.close();
  link.onAnnounced(ID);
  link.onServerConnected();
  link.onBroken();
  expect(seen).toEqual([]);
  expect(greetings()).toBe(1);
  expect(isWaiting()).toBe(false);
});
