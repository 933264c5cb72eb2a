// Implements /ctx-queue, /ctx-resume and /ctx-interrupt.
import type { ActionAnswer, ActionCommand, CommandCall } from "../../feature-api/command.ts";
import type { InterruptResult } from "../../feature-api/prompt.ts";
import { answerWithNote } from "../../feature-api/user-facing-error.ts";
import type { Inbox } from "./inbox.ts";
import type { Outcome } from "./plan.ts";
import { renderPreview } from "./prompt.ts";
import { parseQueueRequest, type QueueRequest } from "./queue-command.ts";
import type { WaitingList } from "./waiting-list.ts";
import { describeOutcome, QUEUE_USAGE, renderPromptCount, renderQueue } from "./words.ts";

const MAX_SHOWN_PROMPTS = 20;

/** Carries out /ctx-queue, and returns the result for the user. */
export async function runQueueCommand(inbox: Inbox, call: CommandCall): Promise<ActionAnswer> {
  const queue = await inbox.readQueue(call.sessionId);
  const request = parseQueueRequest(call.args);
  if (request.kind === "add") {
    return { text: await addPrompt(inbox, queue, call, request.text), shownBy: "conversation" };
  }
  return answerWithNote(() => applyChange(queue, request, call.args));
}

async function addPrompt(
  inbox: Inbox,
  queue: WaitingList,
  { sessionId, files, process }: CommandCall,
  text: string,
): Promise<string> {
  const parts = [{ type: "text", text }, ...files];
  const prompt = { sessionId, id: null, parts, delivery: "queue", reply: "wanted" } as const;
  if (process === "ends") {
    await inbox.store(prompt);
    return `Queued as number ${queue.length + 1}. OpenCode ends with this command, so the prompt waits on disk: open the session (opencode --session ${sessionId}) and run /ctx-resume. With "recovery": "auto" it is sent at the next start.`;
  }
  await inbox.admit(prompt);
  return queue.isIdle && queue.length === 0
    ? "The session is idle: the prompt is sent now."
    : `Queued as number ${queue.length + 1}: it is stored, and sent when the session has settled.`;
}

/** Applies a change to the queue. @throws UserFacingError if the change names a place that doesn't exist */
function applyChange(
  queue: WaitingList,
  request: Exclude<QueueRequest, { kind: "add" }>,
  args: string,
): string {
  switch (request.kind) {
    case "list":
      return renderQueue(queue.listFirst(MAX_SHOWN_PROMPTS), queue.length, queue.working);
    case "edit":
      queue.edit(request.place, request.text);
      return `Prompt ${request.place} has the new text.`;
    case "drop": {
      const { from, to } = request;
      if (from > to)
        return renderMalformedRequest(args, "a range starts with the lower number: drop 3-6");
      queue.drop(from, to);
      return from === to
        ? `Removed prompt ${from} from the queue.`
        : `Removed prompts ${from} to ${to} from the queue.`;
    }
    case "drop-all":
      return `Removed ${renderPromptCount(queue.dropAll())} from the queue.`;
    case "move":
      queue.move(request.from, request.to);
      return `Moved prompt ${request.from} to place ${request.to}.`;
    case "malformed":
      return renderMalformedRequest(args, request.wanted);
  }
}

function renderMalformedRequest(args: string, wanted: string): string {
  return `\`${renderPreview([{ type: "text", text: args }])}\` was not understood: ${wanted}. Nothing was changed or queued.\n\n${QUEUE_USAGE}`;
}

// Defines the commands /ctx-queue, /ctx-resume and /ctx-interrupt.

const INTERRUPT_ANSWERS: Readonly<Record<InterruptResult, string>> = {
  stopped: "Stopped. Queued prompts are held until /ctx-resume or your next prompt.",
  idle: "Nothing is running in this session, so nothing was stopped.",
  lingers:
    "OpenCode was asked to stop, but the session has not settled yet. Nothing in the queue is lost.",
};

export const createInboxCommands = (inbox: Inbox): readonly ActionCommand[] => [
  {
    kind: "action",
    name: "ctx-queue",
    dialog: (args) => (parseQueueRequest(args).kind === "list" ? "ctx-queue" : null),
    act: (call) => runQueueCommand(inbox, call),
  },
  {
    kind: "action",
    name: "ctx-resume",
    dialog: () => null,
    act: async ({ sessionId, process }) => {
      if (process === "ends") {
        const text = `Nothing was started, because OpenCode ends with this command. Open the session (opencode --session ${sessionId}) and run /ctx-resume there.`;
        return { text, shownBy: "note" };
      }
      const went = await inbox.resume(sessionId);
      return {
        text: describeOutcome(went),
        shownBy: OUTCOMES_WITHOUT_SEND.has(went.kind) ? "note" : "conversation",
      };
    },
  },
  {
    kind: "action",
    name: "ctx-interrupt",
    dialog: () => null,
    act: async ({ sessionId }) => ({
      text: INTERRUPT_ANSWERS[await inbox.interrupt(sessionId)],
      shownBy: "note",
    }),
  },
];

/** Outcomes that send nothing. After any other, a prompt is sent, on its way, or left to the running turn. */
const OUTCOMES_WITHOUT_SEND: ReadonlySet<Outcome["kind"]> = new Set([
  "nothing",
  "elsewhere",
  "undone",
  "hold",
]);
