// Defines the runtime of one Location, and what it is built on.
// Folder: One session's ledger at work: observe, decide, store, replay.
import type { SourceKey } from "../context/key.ts";
import type { HostMessage } from "../ledger/message.ts";
import type { NextCall } from "../ledger/policy.ts";
import type { HostText } from "../sources/host-blocks.ts";
import type { StorageError } from "../storage/errors.ts";
import type { EntryRecord, EpochRecord } from "../storage/ledger-table.ts";
import type { SessionId } from "../storage/records.ts";
import type { CallDeps } from "./call-deps.ts";
import type { SessionMessage } from "./history.ts";
import { stripKnownInstructions } from "./nested-witness.ts";
import { computeNextCall } from "./next-call.ts";
import type { PassFacts } from "./pass.ts";
import { projectHistory } from "./projector.ts";
import {
  composeSystem,
  composeText,
  type SenderDeps,
  type SystemCall,
  type TextCall,
} from "./sender.ts";
import { SessionSources, type SourceCall, type SourceDeps } from "./session-sources.ts";
import { SessionStates } from "./session-state.ts";
import { observeGuarded, type SourceHealth, SourceHealthTracker } from "./source-observation.ts";
import { type SentSystem, TurnRecorder } from "./turn-recorder.ts";
import { selectShown } from "./view.ts";

interface RuntimeDeps extends Omit<CallDeps, "memories" | "observed"> {
  readonly sources: SourceDeps;
  /** The tokens that each of our own tools, by name, takes in a request. */
  readonly toolTokens: ReadonlyMap<string, number>;
  /** Runs work for a session after the session's call has been sent. */
  readonly defer: (sessionId: SessionId, work: () => void) => void;
  /** Is called when stored texts of a session are damaged; its next call begins a new epoch. */
  readonly textsDamaged: (sessionId: SessionId, found: readonly StorageError[]) => void;
  readonly sourceFailed: (key: SourceKey, reason: string) => void;
  readonly sourceBack: (key: SourceKey) => void;
  /** Is called when the database has accepted a write. */
  readonly storageWorks: () => void;
}

/** The progress of a session's newest call, for diagnosis. */
type CallState =
  | { readonly kind: "none" }
  /** The history has been decided, and no system string of the host has been recognised since. */
  | { readonly kind: "waiting" }
  | { readonly kind: "sent"; readonly baseline: string; readonly facts: PassFacts };

/** A call whose decision is stored and on its way. */
interface SentCall {
  readonly epoch: EpochRecord;
  /** The epoch's number among the session's epochs, from 1, as every report counts them. */
  readonly epochNumber: number;
  /**
   * All entries of the epoch, in order; this call's boundary added those that were decided at the call's
   * time.
   */
  readonly entries: readonly EntryRecord[];
  readonly facts: PassFacts;
}

/** The durable runtime of one Location's sessions, used by the host's hooks. */
export class SessionRuntime {
  /** Receives what the host reports of calls, and records it. */
  readonly turns: TurnRecorder;
  readonly #memories: SessionStates;
  readonly #call: SenderDeps;
  readonly #busy = new Set<SessionId>();
  readonly #health: SourceHealthTracker;

  constructor(private readonly deps: RuntimeDeps) {
    this.#health = new SourceHealthTracker(deps);
    this.turns = new TurnRecorder(deps);
    this.#memories = new SessionStates(
      deps.database,
      () => new SessionSources(deps.sources),
      (sessionId) => {
        this.turns.forget(sessionId);
        this.#health.forget(sessionId);
      },
      deps.textsDamaged,
    );
    this.#call = {
      ...deps,
      memories: this.#memories,
      recorder: this.turns,
      observed: (sessionId, observed) => this.#health.recordObservation(sessionId, observed),
    };
  }

  /** Handles messages.transform: returns the history as it is sent, or the same array if nothing changes. */
  projectHistory(messages: readonly SessionMessage[]): Promise<readonly HostMessage[]> {
    const first = messages[0];
    const ids = messages.map(({ info }) => info.id);
    if (first) this.turns.beginCall(first.info.sessionID as SessionId, ids);
    return projectHistory(this.#call, messages);
  }

  /** Handles system.transform: returns the strings as they are sent, or the same array if nothing changes. */
  composeSystem(call: SystemCall): readonly string[] {
    return composeSystem(this.#call, call);
  }

  /**
   * Reads the host's text before `project` runs, if it exists by then, so that a change is announced at once.
   */
  recordHostText(sessionId: SessionId, text: HostText): void {
    this.#memories.getOrCreate(sessionId).sources.seen.recordSighting(text.blocks);
  }

  /** Records the names of the next call's tools before `project` runs, if the host reports them by then. */
  recordOfferedTools(sessionId: SessionId, tools: ReadonlySet<string>): void {
    this.#memories.getOrCreate(sessionId).offered = tools;
  }

  /**
   * Replaces `composeSystem` if the host passes its text in pieces, or freezes it itself (`hostOwnedText`).
   * Null if the projected history is not on record, and the host's own text is sent as it is.
   */
  composeText(call: TextCall): SentSystem | null {
    return composeText(this.#call, call);
  }

  /** Lists keys of the session's required sources that can't load now. */
  async listMissingSources(
    call: SourceCall & { readonly sessionId: SessionId },
  ): Promise<readonly SourceKey[]> {
    const { sources } = this.#memories.getOrCreate(call.sessionId);
    const context = await sources.context(call, []);
    const required = context.sources.filter((source) => source.required);
    const timeoutMs = this.deps.settings.sourceTimeoutMs;
    const seen = await observeGuarded({ sources: required }, { timeoutMs, files: "to the end" });
    return seen.flatMap(({ key, state }) => (state.kind === "unavailable" ? [key] : []));
  }

  /** Handles session.compacting: the next messages.transform of this session is the compaction's own. */
  beginCompaction(sessionId: SessionId): void {
    this.#memories.getOrCreate(sessionId).compacting = true;
  }

  /** Says whether the next messages.transform of this session belongs to a compaction, so that it is not a boundary. */
  isCompacting(sessionId: SessionId): boolean {
    return this.#memories.peek(sessionId)?.compacting ?? false;
  }

  /** Reloads proposals after a job has settled or a command was given, for the next boundary. */
  reloadProposals(sessionId: SessionId): void {
    const memory = this.#memories.peek(sessionId);
    if (memory) this.#memories.reloadProposals(memory);
  }

  /**
   * Handles tool.execute.after of a read: returns its output without nested instructions that were announced
   * already.
   */
  stripKnownInstructions(sessionId: SessionId, output: string, metadata: unknown): string {
    const memory = this.#memories.peek(sessionId);
    if (!memory) return output;
    return stripKnownInstructions(output, metadata, memory.sources.belief);
  }

  setStatus(sessionId: SessionId, status: "busy" | "idle"): void {
    if (status === "busy") {
      this.#busy.add(sessionId);
      return;
    }
    this.#busy.delete(sessionId);
    const memory = this.#memories.peek(sessionId);
    // A compaction that ended before its own pass must not claim the next turn's pass.
    if (memory) memory.compacting = false;
  }

  isBusy(sessionId: SessionId): boolean {
    return this.#busy.has(sessionId);
  }

  readCallState(sessionId: SessionId): CallState {
    const memory = this.#memories.peek(sessionId);
    const pass = memory?.pass;
    if (!memory || !pass || pass.kind === "passthrough") return { kind: "none" };
    if (pass.kind === "opening") {
      // If the ledger has an epoch, another process may have opened it first, so this call need not be
      // waiting.
      return { kind: memory.ledger.epochs.length === 0 ? "waiting" : "none" };
    }
    return memory.lastTurn?.sentAtMs === pass.facts.startedAtMs
      ? { kind: "sent", baseline: pass.epoch.baseline, facts: pass.facts }
      : { kind: "waiting" };
  }

  /**
   * Computes what the session's next call would be decided on. `listed` is the history as the host lists it,
   * without what an undo hides. Null if the session has no prompt yet.
   * @throws StorageError
   */
  async computeNextCall(
    sessionId: SessionId,
    listed: readonly SessionMessage[],
  ): Promise<NextCall | null> {
    return computeNextCall(this.#call, this.#memories.getOrCreate(sessionId), listed);
  }

  /** Selects the session's entries that take effect on its whole history. @throws StorageError */
  readShownLedger(
    sessionId: SessionId,
    messages: readonly HostMessage[],
  ): ReturnType<typeof selectShown> {
    return selectShown(
      this.deps.database().ledger.loadSound(sessionId, () => undefined),
      messages,
    );
  }

  /** Returns the newest call of the session once both of its hooks have run; null until then. */
  findSentCall(sessionId: SessionId): SentCall | null {
    const memory = this.#memories.peek(sessionId);
    if (memory?.pass?.kind !== "steady") return null;
    const { epoch, facts } = memory.pass;
    if (memory.lastTurn?.sentAtMs !== facts.startedAtMs) return null;
    const entries = memory.ledger.entries.filter(({ epochSeq }) => epochSeq === epoch.seq);
    const epochNumber = memory.ledger.epochs.findIndex(({ seq }) => seq === epoch.seq) + 1;
    return { epoch, epochNumber, entries, facts };
  }

  /** Deletes all rows of a session that the host has deleted. */
  removeSession(sessionId: SessionId): void {
    // Pending writes would find no session to belong to.
    this.turns.flush();
    this.#memories.forget(sessionId);
    this.deps.database().sessions.remove(sessionId);
  }

  /** Lists sources that could not be observed at the session's last boundary. */
  listFailingSources(sessionId: SessionId): readonly SourceHealth[] {
    return this.#health.listFor(sessionId);
  }
}
