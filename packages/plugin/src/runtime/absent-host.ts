// Stands in for host methods that are missing: each call rejects, as where a host refuses.
import type { HostApi } from "../feature-api/feature-context.ts";

/**
 * Serves a host whose prompts can't be named, and which has no bus, no children, no todos and no permissions.
 */
export const absent: Pick<HostApi, "parent" | "todos" | "rules" | "publish" | "prompts"> = {
  parent: async () => null,
  todos: async () => [],
  rules: () => refused("permissions"),
  publish: () => refused("bus"),
  prompts: {
    activity: () => refused("prompts"),
    session: () => refused("prompts"),
    history: () => refused("prompts"),
    message: () => refused("prompts"),
    send: () => refused("prompts"),
    abort: () => refused("prompts"),
  },
};

function refused(what: string): Promise<never> {
  return Promise.reject(new Error(`This host does not offer ${what} to plugins.`));
}
