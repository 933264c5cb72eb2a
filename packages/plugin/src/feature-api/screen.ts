// Declares where the user watches sessions, beside the conversation.
import type { SessionId } from "../storage/records.ts";
import type { DialogName } from "./command.ts";

export interface Screen {
  /** Returns true while it shows the session. */
  watches(sessionId: SessionId): boolean;
  /** Opens the dialog where the session is shown, and says whether it is. */
  show(dialog: DialogName, sessionId: SessionId): Promise<"shown" | "nobody looks">;
  /** The session's status may be another now. */
  changed(sessionId: SessionId): void;
}

/** Replaces the screen where there is none. */
export const noScreen: Screen = {
  watches: () => false,
  show: async () => "nobody looks",
  changed: () => undefined,
};

/** The answer to a question for a report. */
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

/** The answer to a question for the queue. */
export interface ShownQueue {
  readonly activity: "busy" | "idle";
  /** The first ones, the next one first. */
  readonly waiting: readonly QueuedPrompt[];
  /** Counts all that wait. */
  readonly length: number;
}

/** The content that the channel serves; each function may be called at any time, and may reject. */
export interface ChannelContent {
  /** A JSON value. */
  status(sessionId: string): Promise<object>;
  /** Resolves to null where no command gives such a report. */
  report(question: {
    readonly sessionId: string;
    readonly report: DialogName;
  }): Promise<ShownReport | null>;
  queue(sessionId: string): Promise<ShownQueue>;
  /** A terminal UI has begun to show the session. */
  opened(sessionId: string): void;
}
