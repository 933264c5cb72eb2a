// /ctx-queue, /ctx-resume and /ctx-interrupt.
import type { ActionCommand } from "../../feature-api/command.ts";
import type { InterruptResult } from "../../feature-api/inbox-service.ts";
import type { Inbox } from "./inbox.ts";
import type { Outcome } from "./plan.ts";
import { changeQueue } from "./queue.ts";
import { parseQueueRequest } from "./queue-command.ts";
import { describeDrive } from "./words.ts";

const INTERRUPTED: Readonly<Record<InterruptResult, string>> = {
  stopped: "Stopped. Queued prompts are held until /ctx-resume or your next prompt.",
  idle: "Nothing is running in this session, so nothing was stopped.",
  lingers:
    "OpenCode was asked to stop, but the session has not settled yet. Nothing in the queue is lost.",
};

export const inboxCommands = (inbox: Inbox): readonly ActionCommand[] => [
  {
    kind: "action",
    name: "ctx-queue",
    dialog: (args) => (parseQueueRequest(args).kind === "list" ? "ctx-queue" : null),
    act: (call) => changeQueue(inbox, call),
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
        text: describeDrive(went),
        shownBy: SENDS_NOTHING.has(went.kind) ? "note" : "conversation",
      };
    },
  },
  {
    kind: "action",
    name: "ctx-interrupt",
    dialog: () => null,
    act: async ({ sessionId }) => ({
      text: INTERRUPTED[await inbox.interrupt(sessionId)],
      shownBy: "note",
    }),
  },
];

/** After any other outcome, a prompt is sent now, is on its way already, or is left to the running turn. */
const SENDS_NOTHING: ReadonlySet<Outcome["kind"]> = new Set([
  "nothing",
  "elsewhere",
  "undone",
  "hold",
]);
