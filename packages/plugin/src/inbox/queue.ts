// /ctx-queue: list, add, edit, drop, move, and the answer to the user.
import type { SessionId } from "../storage/records.ts";
import type { Inbox } from "./inbox.ts";
import type { PromptPart } from "./prompt.ts";
import { parseQueueRequest } from "./queue-command.ts";
import { listQueue } from "./words.ts";

const SHOWN = 20;

interface QueueCall {
  readonly sessionId: SessionId;
  readonly args: string;
  readonly files: readonly PromptPart[];
}

/** `/ctx-queue`; gives what it came to, for the user. */
export async function changeQueue(inbox: Inbox, call: QueueCall): Promise<string> {
  const { sessionId } = call;
  const queue = await inbox.queue(sessionId);
  const request = parseQueueRequest(call.args);
  const missing = (place: number) =>
    `There is no place ${place}: ${queue.length === 0 ? "the queue is empty" : `the queue has ${queue.length}`}. Nothing was changed.`;
  switch (request.kind) {
    case "list":
      return listQueue(queue.shown(SHOWN), queue.length, queue.working);
    case "add": {
      const parts = [{ type: "text", text: request.text }, ...call.files];
      await inbox.admit({ sessionId, id: null, parts, delivery: "queue", reply: "wanted" });
      return queue.isIdle && queue.length === 0
        ? "The session is idle: the prompt is sent now."
        : `Queued in place ${queue.length + 1}: it is sent when the session has settled. It is on disk.`;
    }
    case "edit":
      return queue.edit(request.place, request.text) === "edited"
        ? `Place ${request.place} has the new text.`
        : missing(request.place);
    case "drop":
      return queue.drop(request.place) === "dropped"
        ? `Place ${request.place} is out of the queue.`
        : missing(request.place);
    case "drop-all":
      return `Taken out of the queue: ${queue.dropAll()}.`;
    case "move": {
      const { from, to } = request;
      if (queue.move(from, to) === "moved") return `Place ${from} is place ${to} now.`;
      return missing(from > queue.length || from < 1 ? from : to);
    }
  }
}
