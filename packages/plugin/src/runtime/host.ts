// The port to a host: everything that the kernel and the features receive from its edge.
import type { HostApi } from "../feature-api/feature-context.ts";
import type { Screen } from "../feature-api/screen.ts";
import type { JobHost } from "../jobs/child-port.ts";
import type { Toast } from "../log/notices.ts";
import type { HostProjectName } from "../project/project.ts";
import type { RuntimeSettings } from "../session/call-deps.ts";
import type { SessionMessage } from "../session/history.ts";
import type { InstructionScope } from "../sources/instruction-scope.ts";
import type { SessionId } from "../storage/records.ts";

/** Describes one plugin instance's host. `test/host/contract.ts` has the rules that types can't express. */
export interface Host {
  readonly place: HostPlace;
  /** Says where the host's instruction files are. */
  readonly scope: InstructionScope;
  /** Lists the models once, to describe those that no call has described yet. Rejects if the host refuses. */
  readonly models: () => Promise<readonly ListedModel[]>;
  /** Says whether the host itself removes old tool results. */
  readonly prunes: () => "on" | "off";
  readonly asked: HostApi;
  /** Says who freezes the system prompt. */
  readonly system: RuntimeSettings["system"];
  /** Returns all messages of a session except those that an undo hides. Rejects if the host refuses. */
  readonly listed: (sessionId: SessionId) => Promise<readonly SessionMessage[]>;
  /** Asks a model outside of the turns; null if the host does not allow that. */
  readonly jobHost: JobHost | null;
  readonly screen: Screen;
  /** Shows a text to the user. */
  readonly toast: Toast;
}

interface HostPlace {
  readonly directory: string;
  /** The project's root; "/" if there is no project. */
  readonly worktree: string;
  /** The host's name for the project, the same for all of the project's sessions. */
  readonly project: HostProjectName;
  /** Names the worker for the jobs that this host can run in this folder. */
  readonly worker: string;
  readonly git: "yes" | "no";
}

export interface ListedModel {
  readonly providerId: string;
  readonly modelId: string;
  readonly model: HostModel;
}

/** Holds a model as the host describes it. */
export interface HostModel {
  readonly api: { readonly id: string; readonly npm?: string };
  /** Prices in US dollars per million tokens; zeros mean that they are unknown. */
  readonly cost?: {
    readonly input: number;
    readonly cache?: { readonly read: number; readonly write: number };
  };
  readonly limit?: {
    readonly context?: number;
    readonly input?: number | undefined;
    readonly output?: number;
  };
}

// Stands in for host methods that are missing: each call rejects, as it does when a host refuses.

/**
 * The methods of a host whose prompts can't be named, and which has no bus, no children, no todos and no
 * permissions.
 */
export const missingHostMethods: Pick<
  HostApi,
  "parent" | "todos" | "rules" | "publish" | "prompts"
> = {
  parent: async () => null,
  todos: async () => [],
  rules: () => rejectMissing("permissions"),
  publish: () => rejectMissing("bus"),
  prompts: {
    activity: () => rejectMissing("prompts"),
    session: () => rejectMissing("prompts"),
    history: () => rejectMissing("prompts"),
    message: () => rejectMissing("prompts"),
    send: () => rejectMissing("prompts"),
    abort: () => rejectMissing("prompts"),
  },
};

function rejectMissing(what: string): Promise<never> {
  return Promise.reject(new Error(`This host does not offer ${what} to plugins.`));
}
