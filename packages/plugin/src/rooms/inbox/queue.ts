// /ctx-queue: list, add, edit, drop, move, and the answer to the user.
import type { CommandCall } from "../../features/command.ts";
import type { Inbox } from "./inbox.ts";
import { previewOf } from "./prompt.ts";
import { parseQueueRequest } from "./queue-command.ts";
import { listQueue, prompts, QUEUE_USAGE } from "./words.ts";

const SHOWN = 20;

/** `/ctx-queue`; gives what it came to, for the user. */
export async function changeQueue(inbox: Inbox, call: CommandCall): Promise<string> {
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
      const prompt = { sessionId, id: null, parts, delivery: "queue", reply: "wanted" } as const;
      if (call.process === "ends") {
        await inbox.store(prompt);
        return `Queued in place ${queue.length + 1}. OpenCode ends with this command, so the prompt waits on disk: open the session (opencode --session ${sessionId}) and run /ctx-resume. With "recovery": "auto" it is sent at the next start.`;
      }
      await inbox.admit(prompt);
      return queue.isIdle && queue.length === 0
        ? "The session is idle: the prompt is sent now."
        : `Queued in place ${queue.length + 1}: it is sent when the session has settled. It is on disk.`;
    }
    case "edit":
      return queue.edit(request.place, request.text) === "edited"
        ? `Place ${request.place} has the new text.`
        : missing(request.place);
    case "drop": {
      const { from, to } = request;
      if (from > to) return malformed(call.args, "a range begins with the lower place: drop 3-6");
      if (queue.drop(from, to) === "gone") return missing(from < 1 ? from : to);
      return from === to
        ? `Removed place ${from} from the queue.`
        : `Removed places ${from} to ${to} from the queue.`;
    }
    case "drop-all":
      return `Removed ${prompts(queue.dropAll())} from the queue.`;
    case "move": {
      const { from, to } = request;
      if (queue.move(from, to) === "moved") return `Moved place ${from} to place ${to}.`;
      return missing(from > queue.length || from < 1 ? from : to);
    }
    case "malformed":
      return malformed(call.args, request.wanted);
  }
}

function malformed(args: string, wanted: string): string {
  return `\`${previewOf([{ type: "text", text: args }])}\` was not understood: ${wanted}. Nothing was changed or queued.\n\n${QUEUE_USAGE}`;
}
