// An OpenCode plugin that has the tests run after each turn that has edited files.
// See README.md beside this file.
import { inboxOf } from "@session-runtime/opencode/inbox";

const FOLLOW_UP = "Run the tests of what you have changed, and mend what fails.";
const EDITING_TOOLS = new Set(["edit", "write", "apply_patch"]);

export default {
  id: "follow-up",
  // OpenCode calls this once for each project directory.
  server: async ({ client, directory }) => {
    const inbox = inboxOf(directory);
    /** The newest prompt of each session. */
    const prompts = new Map();

    async function queueFollowUp(sessionId, promptId) {
      const waiting = await inbox.list(sessionId);
      if (waiting.some(({ id }) => id.startsWith("follow-up-"))) return;
      await inbox.admit({
        sessionId,
        // The same id with the same text is a retry: many edits of one turn are one follow-up.
        id: `follow-up-${promptId}`,
        delivery: "queue",
        parts: [{ type: "text", text: FOLLOW_UP }],
      });
    }

    return {
      "chat.message": async ({ sessionID }, { message, parts }) => {
        // A prompt that is gone on with comes again, without parts: what is known of it stands.
        if (parts.length === 0) return;
        const isFollowUp = parts.some(({ text }) => text === FOLLOW_UP);
        prompts.set(sessionID, isFollowUp ? null : message.id);
      },
      "tool.execute.after": async ({ sessionID, tool }) => {
        const promptId = prompts.get(sessionID);
        // What a follow-up edits has no follow-up of its own: that would never end.
        if (!promptId || !EDITING_TOOLS.has(tool)) return;
        try {
          await queueFollowUp(sessionID, promptId);
        } catch (error) {
          // A hook that throws here fails the tool's call: tell it, and let the edit stand.
          const message = `No follow-up was queued: ${error.message}`;
          await client.app.log({ body: { service: "follow-up", level: "warn", message } });
        }
      },
    };
  },
};
