// Nudges in one plugin instance: the policy, and who is offered the tool that it names.
import type { Room } from "../../features/feature.ts";
import type { House } from "../../features/house.ts";
import { faultFields } from "../../log/fault.ts";
import type { SessionId } from "../../storage/records.ts";
import { canLetGo, reduceTool } from "../let-go/tool.ts";
import { historySettings } from "../rewrites/history-settings.ts";
import { nudgePolicy } from "./nudge.ts";
import { callerOf, isToolOffered } from "./offered.ts";

const HOST_TIMEOUT_MS = 5_000;
const TOOL = reduceTool.name;

export function openRoom(house: House): Room {
  const { config, host, log } = house;
  const history = historySettings(house);
  if (history === null || !canLetGo(config)) return {};
  /** By session, then by agent. */
  const known = new Map<SessionId, Map<string, boolean>>();
  const ask = async (sessionId: SessionId, agent: string) => {
    const ofSession = known.get(sessionId) ?? new Map<string, boolean>();
    if (ofSession.has(agent)) return;
    known.set(sessionId, ofSession.set(agent, false));
    try {
      const rules = await host.rules(sessionId, agent, { timeoutMs: HOST_TIMEOUT_MS });
      ofSession.set(agent, isToolOffered(TOOL, rules) ?? false);
    } catch (error) {
      ofSession.delete(agent);
      log.warn("nudges.host", faultFields(error));
    }
  };
  return {
    policies: [
      nudgePolicy(history, (messages) => {
        const caller = callerOf(TOOL, messages);
        return (caller && known.get(caller.sessionId as SessionId)?.get(caller.agent)) ?? false;
      }),
    ],
    hooks: {
      // No hook waits for the answer: until it is there, nothing is said.
      sending: ({ sessionId, agent }) => void ask(sessionId, agent),
      heard({ kind, sessionId }) {
        if (kind === "idle" || kind === "deleted") known.delete(sessionId);
      },
    },
  };
}
