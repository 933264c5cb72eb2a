// Takes our own tools out of one call, by the host's switch for a prompt's tools.
import type { Hooks } from "@opencode-ai/plugin";
import type { WithheldToolNotices } from "../runtime/withheld-tool-notices.ts";
import type { SessionId } from "../storage/records.ts";

type ParamsInput = Parameters<NonNullable<Hooks["chat.params"]>>[0];

/**
 * The host reads the prompt's own `tools` after this hook, and sends none that is off there. The row is
 * this call's copy of what is stored (read in OpenCode 1.18.33, LLMRequestPrep.prepare).
 */
export function leaveOut(
  aside: Pick<WithheldToolNotices, "newest">,
  { sessionID, agent, message }: Pick<ParamsInput, "sessionID" | "agent" | "message">,
): void {
  const names = aside.newest(sessionID as SessionId, agent);
  if (names.length === 0) return;
  message.tools = { ...message.tools, ...Object.fromEntries(names.map((name) => [name, false])) };
}
