import { expect, test } from "bun:test";
import type { House } from "../../../src/features/house.ts";
import type { View } from "../../../src/policies/view.ts";
import { nudgesFeature } from "../../../src/rooms/nudges/feature.ts";
import { openRoom } from "../../../src/rooms/nudges/room.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { called } from "../../history/calls.ts";
import { SimulatedSession } from "../../history/simulation.ts";
import { parseConfig } from "../../whole-config.ts";

const DENIED = [{ permission: "ctx_reduce", pattern: "*", action: "deny" }];
const SES = "ses" as SessionId;

function opened(rules: readonly unknown[] | "unreachable", settings: object = {}) {
  const asked: string[] = [];
  const logged: string[] = [];
  const house = {
    config: parseConfig({
      nudges: { enabled: true },
      recall: { enabled: true },
      history: { rewrite: "worth" },
      ...settings,
    }),
    location: { directory: "/project", worktree: "/project" },
    host: {
      rules: async (sessionId: string, agent: string) => {
        asked.push(`${sessionId} ${agent}`);
        if (rules === "unreachable") throw new Error("no host");
        return rules;
      },
    },
    log: { warn: (code: string) => void logged.push(code) },
  } as unknown as House;
  const room = openRoom(house);
  const sent = async () => {
    room.hooks?.sending?.({ sessionId: SES, agent: "build" } as never);
    await Bun.sleep(0);
  };
  return { room, sent, asked, logged };
}

function longSession(): View {
  const session = new SimulatedSession(100_000, null);
  session.prompt("Read it all");
  for (let call = 0; call < 40; call += 1) {
    session.call(called("read", { filePath: `f${call}` }, "word ".repeat(1_000)));
  }
  session.prompt("Go on");
  const messages = session.messages.map((message, index) =>
    index === session.messages.length - 1
      ? { ...message, info: { ...message.info, agent: "build" } }
      : message,
  );
  return { ...session.view({ kind: "ordinary" }), messages };
}

test("nudges are off until they are asked for, and need recall and history", () => {
  expect(nudgesFeature.isOn?.(parseConfig({}))).toBe(false);
  expect(opened([]).room.policies).toHaveLength(1);
  expect(opened([], { recall: { enabled: false } }).room).toEqual({});
  expect(opened([], { history: { rewrite: "off" } }).room).toEqual({});
});

test("the host is asked once per session and agent; until it has answered, nothing is said", async () => {
  const { room, sent, asked } = opened([]);
  const drafts = () => room.policies?.[0]?.draft(longSession()).length;
  expect(drafts()).toBe(0);
  await sent();
  await sent();
  expect(asked).toEqual(["ses build"]);
  expect(drafts()).toBe(1);
  room.hooks?.heard?.({ kind: "deleted", sessionId: SES });
  expect(drafts()).toBe(0);
});

test("an agent that may not use the tool, and a host that doesn't answer, get none", async () => {
  const denied = opened(DENIED);
  await denied.sent();
  expect(denied.room.policies?.[0]?.draft(longSession())).toEqual([]);
  const away = opened("unreachable");
  await away.sent();
  await away.sent();
  expect(away.asked).toHaveLength(2);
  expect(away.logged).toEqual(["nudges.host", "nudges.host"]);
  expect(away.room.policies?.[0]?.draft(longSession())).toEqual([]);
});
