// /ctx-queue, /ctx-resume and /ctx-interrupt.
import type { DialogName } from "../channel/protocol.ts";
import type { Inbox } from "../inbox/inbox.ts";
import { changeQueue } from "../inbox/queue.ts";
import { parseQueueRequest } from "../inbox/queue-command.ts";
import { describeDrive } from "../inbox/words.ts";
import type { SessionId } from "../storage/records.ts";
import type { CommandName } from "./command-names.ts";

/** What a command was given: the text behind its name, and the files that were attached to it. */
export interface CommandCall {
  readonly sessionId: SessionId;
  readonly args: string;
  readonly files: readonly Readonly<Record<string, unknown>>[];
  /** `ends`: `opencode run --command`, which ends with it. */
  readonly process: "stays" | "ends";
}

/** A slash command that does something at once, whether the session is busy or not. */
export interface ActionCommand {
  readonly kind: "action";
  readonly name: CommandName;
  /** The dialog that shows the same, where a terminal UI watches; null: there is none. */
  readonly dialog: (args: string) => DialogName | null;
  /** What it came to, for the user. */
  readonly act: (inbox: Inbox, call: CommandCall) => Promise<string>;
}

export const inboxCommands: readonly ActionCommand[] = [
  {
    kind: "action",
    name: "ctx-queue",
    dialog: (args) => (parseQueueRequest(args).kind === "list" ? "ctx-queue" : null),
    act: changeQueue,
  },
  {
    kind: "action",
    name: "ctx-resume",
    dialog: () => null,
    act: async (inbox, { sessionId, process }) =>
      process === "ends"
        ? `Nothing was started: OpenCode ends with this command. Open the session (opencode --session ${sessionId}) and run /ctx-resume there.`
        : describeDrive(await inbox.resume(sessionId)),
  },
  {
    kind: "action",
    name: "ctx-interrupt",
    dialog: () => null,
    act: async (inbox, { sessionId }) => {
      switch (await inbox.interrupt(sessionId)) {
        case "stopped":
          return "Stopped. What waits in the queue is held until /ctx-resume or your next prompt.";
        case "idle":
          return "Nothing runs in this session, so nothing was stopped.";
        case "lingers":
          return "Asked to stop, and the session has not settled yet. Nothing of the queue is lost.";
      }
    },
  },
];
