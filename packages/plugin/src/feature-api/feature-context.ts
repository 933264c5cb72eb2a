// Declares the parts of the plugin instance that every feature may use.
import type { Config } from "../config/schema.ts";
import { BoundedMap } from "../context/bounded-map.ts";
import type { HostMessage } from "../ledger/message.ts";
import type { NextCall } from "../ledger/policy.ts";
import type { SentHistory } from "../ledger/revise.ts";
import type { FailureReporter } from "../log/fault.ts";
import type { Log } from "../log/log.ts";
import type { Notices, Toast } from "../log/notices.ts";
import type { KnownProject } from "../project/known-project.ts";
import type { HostProjectName } from "../project/project.ts";
import type { RuntimeDatabase } from "../storage/database.ts";
import type { JobPlace, NewJob } from "../storage/job-records.ts";
import type { JobStore } from "../storage/job-store.ts";
import type { NewProposal } from "../storage/ledger-store.ts";
import type { ProjectId, SessionId } from "../storage/records.ts";
import type { FeatureHooks } from "./feature-hooks.ts";
import type { InboxHost } from "./prompt.ts";
import type { SessionTraces } from "./session-traces.ts";

// Takes the work that features want done outside the turns.

export type JobToAdd = Omit<NewJob, keyof JobPlace>;

interface JobQueueDeps {
  /** @throws StorageError while the database isn't open. */
  readonly store: () => JobStore;
  readonly worker: string;
  /** Returns null while the project isn't known yet. */
  readonly project: () => ProjectId | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called after each added job, to wake the runner. */
  readonly added: () => void;
}

export class JobQueue {
  constructor(private readonly deps: JobQueueDeps) {}

  /** The place of the feature's jobs. If the project isn't known, the runner of the jobs finds it out. */
  get place(): JobPlace {
    return { board: this.deps.worker, project: this.deps.project() };
  }

  /** Adds a job and returns its id at once; null if the same work was added before. @throws StorageError */
  add(job: JobToAdd): number | null {
    const { store, now } = this.deps;
    const id = store().add({ ...job, ...this.place }, now());
    if (id !== null) this.deps.added();
    return id;
  }

  /** Announces work that a feature's own store has added without this queue. */
  wake(): void {
    this.deps.added();
  }
}

// Keeps what was last sent in each active session: one copy for all features.

/** Limits the number of active sessions whose sent history is kept, because histories are large. */
const MAX_SENT_HISTORIES = 8;

export type SentHistories = ReadonlyMap<SessionId, SentHistory>;

/**
 * @returns the sent histories, and the hooks that record them, which have to be called before those of
 *   features
 */
export function createSentHistories() {
  const sent = new BoundedMap<SessionId, SentHistory>(MAX_SENT_HISTORIES);
  const hooks: FeatureHooks = {
    sent: ({ sessionId, ...history }) => void sent.set(sessionId, history),
    onEvent({ kind, sessionId }) {
      if (kind === "deleted") sent.delete(sessionId);
    },
  };
  return { sent: sent as SentHistories, hooks };
}

/** The instance's one database connection. */
interface OpenableDatabase {
  readonly path: string;
  /** @throws StorageError while it can't be opened. */
  readonly ensure: () => Promise<void>;
  /** @throws StorageError while it isn't open. */
  readonly current: () => RuntimeDatabase;
}

/**
 * The requests that a feature may send to the host. Each rejects if the host refuses, or doesn't answer in
 * time.
 */
export interface HostApi {
  /** The newest messages of a session, oldest first. */
  readonly messages: (
    sessionId: SessionId,
    asked: { readonly count: number; readonly timeoutMs: number },
  ) => Promise<readonly HostMessage[]>;
  /** Returns the parent of a child session; null for one of the user's own sessions. */
  readonly parent: (
    sessionId: SessionId,
    asked: { readonly timeoutMs: number },
  ) => Promise<SessionId | null>;
  /** The session's todo list, as the host has it. */
  readonly todos: (sessionId: SessionId, asked: { readonly timeoutMs: number }) => Promise<unknown>;
  /** Returns the permissions of an agent followed by those of the session itself, as the host has them. */
  readonly rules: (
    sessionId: SessionId,
    agent: string,
    asked: { readonly timeoutMs: number },
  ) => Promise<readonly unknown[]>;
  /** Puts a command for terminal UIs on the host's bus. */
  readonly publish: (command: string) => Promise<void>;
  /** The host's interface for sending prompts. */
  readonly prompts: InboxHost;
  /** The limits to which the host cuts a tool's output. */
  readonly outputLimits: () => OutputLimits;
  readonly outputPlace: OutputPlace;
  /** Sends a prompt at once; null where prompts go through the inbox. */
  readonly sendPrompt: SendPrompt | null;
}

/**
 * Sends one of the user's prompts at once, with a text that the transcript doesn't show. `busy`: the session
 * is working, so nothing was sent.
 */
export type SendPrompt = (prompt: string, hidden: string | null) => "sent" | "busy";

/** The folder that holds the complete texts of bounded outputs. */
export interface OutputPlace {
  /** Absolute path. */
  readonly folder: string;
  /** Names the host's tools with which the model reads such a file, as part of a sentence. */
  readonly howToRead: (path: string) => string;
}

/** The session, agent and model that sources are read for. */
export interface SourceCall {
  readonly sessionId: SessionId;
  readonly agent: string;
  readonly providerId: string;
  readonly modelId: string;
}

export interface FeatureContext {
  readonly host: HostApi;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
  readonly location: { readonly directory: string; readonly worktree: string };
  /** The project that the instance works in, the same for all features. */
  readonly project: KnownProject;
  /** The host's project, which is the same for all sessions that the host assigns to it. */
  readonly hostProject: HostProjectName;
  readonly config: Config;
  /**
   * The `sources` entries of a project's file, each with a function that reports a path leading out of it.
   */
  readonly confined: ReadonlyMap<string, (path: string) => void>;
  readonly database: OpenableDatabase;
  readonly failures: FailureReporter;
  readonly jobs: JobQueue;
  /** Stores a proposal for the session's next boundary to check. Returns at once. @throws StorageError */
  readonly propose: (proposal: NewProposal) => void;
  /**
   * Describes the state on which a session's next call would be decided; null if the session has no prompt
   * yet. Rejects if the host or the database can't be asked.
   */
  readonly nextCall: (sessionId: SessionId) => Promise<NextCall | null>;
  /** Keys of the required sources that can't load now. */
  readonly missingSources: (call: SourceCall) => Promise<readonly string[]>;
  /** Signals to whatever shows the session's status that it may have changed. */
  readonly changed: (sessionId: SessionId) => void;
  readonly log: Log;
  readonly notices: Notices;
  /** Shows the answer to something that the user asked for, regardless of the settings for notices. */
  readonly toast: Toast;
  /** The history last sent in each active session. */
  readonly sent: SentHistories;
  readonly traces: SessionTraces;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Limits the text that one tool result may put into history. */
export interface OutputLimits {
  /** The number of lines, counted by splitting at `\n`. */
  readonly maxLines: number;
  /** The number of UTF-8 bytes. */
  readonly maxBytes: number;
}
