// Implements the port to a host for OpenCode 2.
import { homedir } from "node:os";
import { toFields } from "../context/fields.ts";
import { noScreen } from "../feature-api/screen.ts";
import { hostDefaultLimits } from "../features/tool-output/limits.ts";
import { hostOutputPlace } from "../features/tool-output/managed-files.ts";
import type { JobHost } from "../jobs/job-host.ts";
import type { HostProject } from "../project/project.ts";
import { absent } from "../runtime/absent-host.ts";
import type { Host } from "../runtime/host.ts";
import type { SessionMessage } from "../session/history.ts";
import { hostScope } from "../sources/instruction-scope.ts";
import { withTimeout } from "../sources/with-timeout.ts";
import type { SessionId } from "../storage/records.ts";
import type { V2Context } from "./context.ts";
import type { V2Models } from "./models.ts";

/** Holds each session's history as of its newest request. */
export type Histories = Map<SessionId, readonly SessionMessage[]>;

interface V2HostDeps {
  readonly session: V2Context["session"];
  readonly models: V2Models;
  readonly directory: string;
  readonly histories: Histories;
  /** Shows a text in the terminal UI's part, where there is one; the log always has it. */
  readonly toast: Host["toast"];
  readonly jobHost: JobHost | null;
}

/** Builds the host. Calls to what OpenCode 2 lacks reject, as features expect. */
export function v2Host(deps: V2HostDeps): Host {
  const { session, models, directory, histories, toast, jobHost } = deps;
  const worktree = directory;
  return {
    place: { directory, worktree, project: directory as HostProject, worker: directory, git: "no" },
    scope: hostScope({ directory, worktree, configured: () => [] }, process.env, homedir()),
    models: () => models.listed(),
    prunes: () => "off",
    asked: {
      ...absent,
      messages: async (id, { count }) => (histories.get(id) ?? []).slice(-count),
      async parent(sessionID, { timeoutMs }) {
        const asked = session.get?.({ sessionID }) ?? Promise.resolve(null);
        const { parentID } = toFields(await withTimeout(timeoutMs, asked, () => null));
        return typeof parentID === "string" ? (parentID as SessionId) : null;
      },
      outputLimits: () => hostDefaultLimits,
      outputPlace: hostOutputPlace(process.env, homedir()),
      sendPrompt: null,
    },
    toast,
    system: "host",
    listed: async (id) => histories.get(id) ?? [],
    jobHost,
    screen: noScreen,
  };
}
