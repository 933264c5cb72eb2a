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
import type { HostProject } from "../project/project.ts";
import type { RuntimeDatabase } from "../storage/database.ts";
import type { JobPlace, NewJob } from "../storage/job-records.ts";
import type { JobStore } from "../storage/job-store.ts";
import type { NewProposal } from "../storage/ledger-store.ts";
import type { ProjectId, SessionId } from "../storage/records.ts";
import type { FeatureHooks } from "./feature-hooks.ts";
import type { InboxHost } from "./prompt.ts";
import type { SessionTraces } from "./session-traces.ts";

// Takes the work that features want done beside the turns.

export type JobToAdd = Omit<NewJob, keyof JobPlace>;

interface JobQueueDeps {
  /** @throws StorageError while the database isn't open. */
  readonly store: () => JobStore;
  readonly worker: string;
  /** Returns null while the project isn't known yet. */
  readonly project: () => ProjectId | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called for each added job, to wake the runner. */
  readonly added: () => void;
}

export class JobQueue {
  constructor(private readonly deps: JobQueueDeps) {}

  /** The place of its jobs. Whoever runs them finds out the project where that isn't known. */
  get place(): JobPlace {
    return { board: this.deps.worker, project: this.deps.project() };
  }

  /** Returns at once; null: the same work was added before. @throws StorageError */
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

// Keeps what each session at work was sent last: one copy for all features.

/** Histories are large: only of sessions that are at work is it known what they show. */
const MAX_SESSIONS = 8;

export type SentHistories = ReadonlyMap<SessionId, SentHistory>;

/** @returns with the hooks that keep it, which have to be called before those of features */
export function createSentHistories() {
  const sent = new BoundedMap<SessionId, SentHistory>(MAX_SESSIONS);
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
 * The requests that a feature may send to the host. Each rejects where the host refuses, or doesn't answer
 * in time.
 */
export interface HostApi {
  /** The newest messages of a session, oldest first. */
  readonly messages: (
    sessionId: SessionId,
    asked: { readonly count: number; readonly timeoutMs: number },
  ) => Promise<readonly HostMessage[]>;
  /** The session that it is a child of; null: it is the user's own. */
  readonly parent: (
    sessionId: SessionId,
    asked: { readonly timeoutMs: number },
  ) => Promise<SessionId | null>;
  /** The session's todo list, as the host has it. */
  readonly todos: (sessionId: SessionId, asked: { readonly timeoutMs: number }) => Promise<unknown>;
  /** The permissions of an agent, then those of the session itself, as the host has them. */
  readonly rules: (
    sessionId: SessionId,
    agent: string,
    asked: { readonly timeoutMs: number },
  ) => Promise<readonly unknown[]>;
  /** Puts a command for terminal UIs on the host's bus. */
  readonly publish: (command: string) => Promise<void>;
  /** The host as prompts are given to it. */
  readonly prompts: InboxHost;
  /** The limits by which the host cuts a tool's output. */
  readonly outputLimits: () => OutputLimits;
  readonly outputPlace: OutputPlace;
  /** Sends a prompt at once; null where prompts go through the inbox. */
  readonly sendPrompt: SendPrompt | null;
}

/**
 * Sends a prompt of the user's at once, with a text that the transcript doesn't show. `busy`: the session
 * is at work, and nothing was sent.
 */
export type SendPrompt = (prompt: string, hidden: string | null) => "sent" | "busy";

/** The place of the complete texts of bounded outputs. */
export interface OutputPlace {
  /** Absolute path. */
  readonly folder: string;
  /** Names the host's tools by which the model reads such a file, as a part of a sentence. */
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
  /** The same for all sessions that the host counts to one project. */
  readonly hostProject: HostProject;
  readonly config: Config;
  /** The entries of `sources` that a project's file gives, with what reports a path that leads out of it. */
  readonly confined: ReadonlyMap<string, (path: string) => void>;
  readonly database: OpenableDatabase;
  readonly failures: FailureReporter;
  readonly jobs: JobQueue;
  /** Stores a proposal for the session's next boundary to check. Returns at once. @throws StorageError */
  readonly propose: (proposal: NewProposal) => void;
  /**
   * Describes what a session's next call would be decided on; null when it has no prompt yet. Rejects
   * where host or database can't be asked.
   */
  readonly nextCall: (sessionId: SessionId) => Promise<NextCall | null>;
  /** Keys of the required sources that can't load now. */
  readonly missingSources: (call: SourceCall) => Promise<readonly string[]>;
  /** The session's status may be another now: for whoever shows it. */
  readonly changed: (sessionId: SessionId) => void;
  readonly log: Log;
  readonly notices: Notices;
  /** Answers what the user asked for, whatever the settings for notices say. */
  readonly toast: Toast;
  /** The last histories sent to sessions at work. */
  readonly sent: SentHistories;
  readonly traces: SessionTraces;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Limits the text that one settlement may put into history. */
export interface OutputLimits {
  /** Lines as a split at `\n` counts them. */
  readonly maxLines: number;
  /** UTF-8 bytes. */
  readonly maxBytes: number;
}
