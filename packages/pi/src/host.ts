// Implements the port to a host for Pi.
import type { SendPrompt } from "@session-runtime/opencode/feature-api/feature-context";
import { noScreen } from "@session-runtime/opencode/feature-api/screen";
import type { JobHost } from "@session-runtime/opencode/jobs/child-port";
import type { HostProjectName } from "@session-runtime/opencode/project/project";
import { type Host, missingHostMethods } from "@session-runtime/opencode/runtime/host";
import type { SessionMessage } from "@session-runtime/opencode/session/history";
import { agentFolder, filesWanted, findWorktree, piScope } from "./instructions.ts";
import { PI_LIMITS, piOutputPlace } from "./output.ts";
import type { TypedWords } from "./typed.ts";

/** Holds the rows of the newest call. */
export interface PiHistory {
  rows: readonly SessionMessage[];
}

export type Notify = (text: string, kind: "info" | "warning" | "error") => void;

interface PiHostDeps {
  readonly directory: string;
  readonly history: PiHistory;
  readonly notify: Notify;
  readonly jobHost: JobHost;
  readonly sendPrompt: SendPrompt;
  readonly typed: Pick<TypedWords, "of">;
}

export function piHost({
  directory,
  history,
  notify,
  jobHost,
  sendPrompt,
  typed,
}: PiHostDeps): Host {
  const { worktree, vcs } = findWorktree(directory);
  return {
    place: {
      directory,
      worktree,
      project: directory as HostProjectName,
      // OpenCode's runner can't make calls for a session of Pi's, so each host has jobs of its own.
      worker: `pi:${directory}`,
      git: vcs === "git" ? "yes" : "no",
    },
    scope: piScope({
      directory,
      worktree,
      agentFolder: agentFolder(process.env),
      files: filesWanted(process.argv),
    }),
    // Each call names its model, so Pi needs no list.
    models: async () => [],
    prunes: () => "off",
    asked: {
      ...missingHostMethods,
      messages: (_sessionId, { count }) => typed.of(history.rows.slice(-count)),
      outputLimits: () => PI_LIMITS,
      outputPlace: piOutputPlace(process.env),
      sendPrompt,
    },
    toast: async (text, kind) => notify(text, kind),
    system: "ours",
    listed: async () => history.rows,
    jobHost,
    screen: noScreen,
  };
}
