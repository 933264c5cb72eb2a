// Declares the screen, which shows sessions to the user in addition to the conversation.
import type { SessionId } from "../storage/records.ts";
import type { DialogName } from "./command.ts";

export interface Screen {
  /** Returns true while the user is watching the session on this screen. */
  watches(sessionId: SessionId): boolean;
  /** Opens the dialog if this screen shows the session, and resolves to whether it does. */
  show(dialog: DialogName, sessionId: SessionId): Promise<"shown" | "nobody looks">;
  /** Signals that the session's status may have changed. */
  changed(sessionId: SessionId): void;
}

/** Stands in for the screen if there is none. */
export const noScreen: Screen = {
  watches: () => false,
  show: async () => "nobody looks",
  changed: () => undefined,
};

/** The answer to a request for a report. */
export interface ShownReport {
  readonly text: string;
}

/** A prompt that waits in a session's queue. */
export interface QueuedPrompt {
  readonly id: string;
  /** The whole text of the prompt, which an edit begins with. */
  readonly text: string;
  readonly files: number;
}

/** The answer to a request for the queue. */
export interface ShownQueue {
  readonly activity: "busy" | "idle";
  /** The first waiting prompts, beginning with the next one to be sent. */
  readonly waiting: readonly QueuedPrompt[];
  /** The number of all waiting prompts. */
  readonly length: number;
}

/** The content that the channel serves; each function may be called at any time, and may reject. */
export interface ChannelContent {
  /** Resolves to the session's status as a JSON value. */
  status(sessionId: string): Promise<object>;
  /** Resolves to null if no command gives such a report. */
  report(question: {
    readonly sessionId: string;
    readonly report: DialogName;
  }): Promise<ShownReport | null>;
  queue(sessionId: string): Promise<ShownQueue>;
  /** Called when a terminal UI has begun to show the session. */
  opened(sessionId: string): void;
}
