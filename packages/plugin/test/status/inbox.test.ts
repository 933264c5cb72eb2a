import { expect, test } from "bun:test";
import { readStatus } from "../../src/status/model.ts";
import { renderStatus } from "../../src/status/render.ts";
import { createStatusInput } from "./records.ts";

test("/ctx-status counts what the inbox holds", () => {
  const inbox = { waiting: 12, handed: 1, saved: 1, promoted: 1, refused: 1 };
  const status = readStatus(createStatusInput({ inbox }), null);
  expect(status.inbox).toEqual({ waiting: 12, unread: 2, unanswered: 1, refused: 1 });
  const text = renderStatus(status).replace(/\s+/g, " ");
  expect(text).toContain(
    "Inbox 12 prompts in the queue, 2 prompts not in any call yet, 1 prompt without an answer, 1 prompt refused. /ctx-queue lists what waits, /ctx-resume continues.",
  );
});

test("/ctx-status says nothing of an inbox where all is answered", () => {
  expect(renderStatus(readStatus(createStatusInput({}), null))).not.toContain("Inbox");
});
