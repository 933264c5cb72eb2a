// Withholds our own tools from one call, by the host's switch for a prompt's tools.
import type { Hooks } from "@opencode-ai/plugin";
import type { WithheldToolLookup } from "../runtime/withheld-tool-lookup.ts";
import type { SessionId } from "../storage/records.ts";

type ParamsInput = Parameters<NonNullable<Hooks["chat.params"]>>[0];

/**
 * Turns tools off for one call. The host reads the prompt's own `tools` after this hook, and omits those that
 * are off. The row is this call's copy of the stored one (read in OpenCode 1.18.33, LLMRequestPrep.prepare).
 */
export function leaveOut(
  withheld: Pick<WithheldToolLookup, "newest">,
  { sessionID, agent, message }: Pick<ParamsInput, "sessionID" | "agent" | "message">,
): void {
  const names = withheld.newest(sessionID as SessionId, agent);
  if (names.length === 0) return;
  message.tools = { ...message.tools, ...Object.fromEntries(names.map((name) => [name, false])) };
}
