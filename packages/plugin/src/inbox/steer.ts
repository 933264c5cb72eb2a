// Sends a prompt that joins the running turn; on an exact retry, only what the host lacks.
import type { Admission, InputRecord } from "../storage/inbox-records.ts";
import { type DriveDeps, sendAll } from "./drive.ts";
import type { Underway } from "./underway.ts";

/** Sends a steer by code; an exact retry brings in what the host has not got, and wakes what it left. */
export async function sendSteer(context: DriveDeps, { kind, record }: Admission): Promise<void> {
  const { deps, underway } = context;
  if (kind === "retry" && !isLeft(record, underway)) return;
  await sendAll(context, [record]);
  const { inbox } = deps.database();
  if (inbox.prompt(record.id)?.reply === "none") inbox.settle(record.id, "recorded", deps.now());
}

/** Whether nothing comes of it by itself: it is not answered, and nothing is about to run for it. */
function isLeft({ sessionId, messageId, state }: InputRecord, underway: Underway): boolean {
  switch (state) {
    case "handed":
    case "refused":
      return messageId !== null && !underway.mayStillCome(messageId, "unsaved");
    case "saved":
    case "promoted":
      return !underway.isTaken(sessionId);
    case "waiting":
    case "recorded":
    case "answered":
    case "dropped":
    case "undone":
    case "swallowed":
      return false;
  }
}
