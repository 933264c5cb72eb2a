import { expect, test } from "bun:test";
import { readStatus } from "../../src/status/model.ts";
import { renderStatus } from "../../src/status/render.ts";
import type { InputRecord, InputState } from "../../src/storage/inbox-records.ts";
import { session } from "../storage/records.ts";
import { inputOf } from "./records.ts";

function input(state: InputState): InputRecord {
  return {
    sessionId: session,
    id: `msg_${state}`,
    rank: 1,
    delivery: "steer",
    state,
    messageId: `msg_${state}`,
    digest: "",
    preview: "A SECRET PLAN",
    partCount: 1,
    admittedAtMs: 1,
    promotedAtMs: null,
  };
}

test("/ctx-status counts what the inbox holds, without a word of it", () => {
  const working = (["handed", "saved", "promoted", "refused"] as const).map(input);
  const status = readStatus(inputOf({ inbox: { waiting: 12, working } }), null);
  expect(status.inbox).toEqual({ waiting: 12, unread: 2, unanswered: 1, refused: 1 });
  const text = renderStatus(status).replace(/\s+/g, " ");
  expect(text).toContain(
    "Inbox 12 prompts in the queue, 2 prompts that no call has had, 1 prompt without an answer, 1 prompt turned back. /ctx-queue lists what waits, /ctx-resume goes on.",
  );
  expect(text).not.toContain("SECRET");
});

test("/ctx-status says nothing of an inbox where all is answered", () => {
  expect(renderStatus(readStatus(inputOf({}), null))).not.toContain("Inbox");
});
