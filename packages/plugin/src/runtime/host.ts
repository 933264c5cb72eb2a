// The port to a host: what its edge gives the kernel and the rooms. All else passes between them as values.

import type { HostApi } from "../feature-api/feature-context.ts";
import type { Screen } from "../feature-api/screen.ts";
import type { JobHost } from "../jobs/job-host.ts";
import type { Toast } from "../log/notices.ts";
import type { HostProject } from "../project/project.ts";
import type { SessionMessage } from "../session/history.ts";
import type { RuntimeSettings } from "../session/settings.ts";
import type { InstructionScope } from "../sources/instruction-scope.ts";
import type { SessionId } from "../storage/records.ts";

/** Of one plugin instance. What an edge keeps beside the types is in `test/host/contract.ts`. */
export interface Host {
  readonly place: HostPlace;
  /** Where its instruction files stand. */
  readonly scope: InstructionScope;
  /** Asked once, where a call's own model has not been learned from the call. Rejects where the host refuses. */
  readonly models: () => Promise<readonly ListedModel[]>;
  /** Whether it blanks old tool results by itself. */
  readonly prunes: () => "on" | "off";
  readonly asked: HostApi;
  /** Whose the system prompt is to freeze. */
  readonly system: RuntimeSettings["system"];
  /** All messages of a session, without what an undo hides. Rejects where the host refuses. */
  readonly listed: (sessionId: SessionId) => Promise<readonly SessionMessage[]>;
  /** Asks a model beside the turns; null: the host lets nobody. */
  readonly jobHost: JobHost | null;
  readonly screen: Screen;
  /** Lets the user know. */
  readonly toast: Toast;
}

interface HostPlace {
  readonly directory: string;
  /** The project's root; "/" where there is no project. */
  readonly worktree: string;
  /** The same for all sessions that the host counts to one project. */
  readonly project: HostProject;
  /** Of the jobs that this host can run in this folder. */
  readonly worker: string;
  readonly git: "yes" | "no";
}

export interface ListedModel {
  readonly providerId: string;
  readonly modelId: string;
  readonly model: HostModel;
}

/** A model, as the host describes it. */
export interface HostModel {
  readonly api: { readonly id: string; readonly npm?: string };
  /** In US dollars per million tokens; zeros: not known. */
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
