// Where the user looks at sessions, beside the conversation.
import type { DialogName } from "../channel/protocol.ts";
import type { SessionId } from "../storage/records.ts";

export interface Screen {
  /** Whether it shows the session. */
  watches(sessionId: SessionId): boolean;
  /** Opens the dialog where the session is shown, and says whether it is. */
  show(dialog: DialogName, sessionId: SessionId): Promise<"shown" | "nobody looks">;
  /** The session's status may be another now. */
  changed(sessionId: SessionId): void;
}

/** Where there is none. */
export const noScreen: Screen = {
  watches: () => false,
  show: async () => "nobody looks",
  changed: () => undefined,
};
