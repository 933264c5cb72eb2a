// The agent of jobs: hidden, without tools, in the host's config from its start.
import type { HostConfigInput } from "./host-config.ts";

export const JOB_AGENT = "session-runtime-job";

/**
 * Registers an agent like the host's own title agent: no user sees or chooses it, and no other agent calls it.
 * It has no limit of steps: at the last one the host adds text of its own to the request, and our hooks refuse
 * a second call.
 */
export function registerJobAgent(config: HostConfigInput): void {
  config.agent = {
    ...config.agent,
    [JOB_AGENT]: {
      mode: "primary",
      hidden: true,
      description: "Session Runtime: background jobs",
      prompt: "You answer one question.",
      // This is the host's form after its config is parsed; its first SDK types only some of the names.
      permission: { "*": "deny" } as object,
    },
  };
}
