// The agent of jobs: hidden, without tools, in the host's config from its start.
import type { HostConfigInput } from "./host-config.ts";

export const JOB_AGENT = "session-runtime-job";

/**
 * As the host's own title agent: no user sees or chooses it, and no other agent calls it. It has no limit
 * of steps: at the last one the host adds words of its own to the request, and a second call is refused
 * by our hooks.
 */
export function registerJobAgent(config: HostConfigInput): void {
  config.agent = {
    ...config.agent,
    [JOB_AGENT]: {
      mode: "primary",
      hidden: true,
      description: "Session Runtime: background jobs",
      prompt: "You answer one question.",
      // As the host reads it after its config is parsed; its first SDK types only some of the names.
      permission: { "*": "deny" } as object,
    },
  };
}
