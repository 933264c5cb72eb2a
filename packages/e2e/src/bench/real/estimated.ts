// What `session-runtime estimate` says of a host's own database.
import { estimateSessions } from "../../../../cli/src/estimate/read-sessions.ts";
import type { SessionEstimate } from "../../../../cli/src/estimate/session-estimate.ts";

/** Of the newest session. `dataFolder`: where the host's own folder `opencode` is. */
export async function estimateIn(dataFolder: string): Promise<SessionEstimate> {
  const env = { XDG_DATA_HOME: dataFolder, OPENCODE_MODELS_PATH: "/nowhere" };
  const choice = { kind: "newest", most: 1, folder: null } as const;
  const silent = { step: () => undefined, end: () => undefined };
  const { sessions } = await estimateSessions(env, { choice, withPlugin: new Set() }, silent);
  return sessions[0];
}
