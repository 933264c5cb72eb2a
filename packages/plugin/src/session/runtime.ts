// The runtime of one Location, and what it is built on.
// Folder: One session's ledger at work: observe, decide, store, replay.

import type { SourceKey } from "../context/key.ts";
import type { Policy } from "../policies/policy.ts";
import type { Witness } from "../policies/witness.ts";
import type { HostMessage } from "../projection/message.ts";
import type { FileCache } from "../sources/file-cache.ts";
import type { EntryRecord, EpochRecord, Location, SessionId } from "../storage/records.ts";
import type { RuntimeDatabase } from "../storage/store.ts";
import type { FallBack } from "./bust.ts";
import type { BoundFailure } from "./failed-calls.ts";
import { observeGuarded } from "./guarded-load.ts";
import type { SessionMessage } from "./history.ts";
import { SessionMemories } from "./memory.ts";
import { withoutToldNested } from "./nested-witness.ts";
import { type NextCall, nextCall } from "./next-call.ts";
import type { HearDecided } from "./on-record.ts";
import type { PassFacts } from "./pass.ts";
import { type ProjectorDeps, projectHistory } from "./projector.ts";
import { composeSystem, type SystemCall } from "./sender.ts";
import { SessionSources, type SourceCall, type SourceDeps } from "./session-sources.ts";
import type { RuntimeSettings } from "./settings.ts";
import { type SourceHealth, SourceHealths } from "./source-health.ts";
import type { Price } from "./turn-cost.ts";
import { type ReportedCall, TurnRecorder } from "./turn-recorder.ts";
import { shownOn } from "./view.ts";

export interface RuntimeDeps {
  /** The open database. @throws StorageError while there is none. */
  readonly database: () => RuntimeDatabase;
  readonly location: Location;
  readonly sources: SourceDeps;
  readonly files: FileCache;
  readonly boundFailure: BoundFailure;
  /** Of our own tools, by name: what their text takes in a request. */
  readonly toolTokens: ReadonlyMap<string, number>;
  readonly settings: RuntimeSettings;
  readonly hostPrune: () => "on" | "off";
  /** In the order of the ledger. */
  readonly policies: readonly Policy[];
  readonly witnesses: readonly Witness[];
  readonly roomOf: ProjectorDeps["roomOf"];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Runs work of a session after its call was sent. */
  readonly defer: (sessionId: SessionId, work: () => void) => void;
  readonly decided: HearDecided;
  readonly sourceFailed: (key: SourceKey, reason: string) => void;
  /** Something could not be stored or read; the turn goes on with what is. */
  readonly storageFailed: (error: unknown) => void;
}

/** How far the newest call of a session has come, for diagnosis. */
export type CallState =
  | { readonly kind: "none" }
  /** Its history is decided, and no system string of the host was recognised since. */
  | { readonly kind: "waiting" }
  | { readonly kind: "sent"; readonly baseline: string; readonly facts: PassFacts };

/** A call whose decision is stored and on its way. */
export interface SentCall {
  readonly epoch: EpochRecord;
  /** Counted from 1 among the session's epochs, as every report counts them. */
  readonly epochNumber: number;
  /** All of the epoch, in order; those that this call's boundary has added are of its time. */
  readonly entries: readonly EntryRecord[];
  readonly facts: PassFacts;
}

/** The durable runtime of one Location's sessions, over the host's hooks. */
export class SessionRuntime {
  readonly #memories: SessionMemories;
  readonly #recorder: TurnRecorder;
  readonly #projector: ProjectorDeps;
  readonly #busy = new Set<SessionId>();
  readonly #health: SourceHealths;

  constructor(private readonly deps: RuntimeDeps) {
    const { settings } = deps;
    this.#health = new SourceHealths(deps);
    this.#memories = new SessionMemories(
      deps.database,
      () => new SessionSources(deps.sources, deps.database),
      (sessionId) => {
        this.#recorder.forget(sessionId);
        this.#health.forget(sessionId);
      },
    );
    this.#recorder = new TurnRecorder({
      database: deps.database,
      settings,
      toolTokens: deps.toolTokens,
      defer: deps.defer,
      report: deps.storageFailed,
    });
    this.#projector = {
      memories: this.#memories,
      database: deps.database,
      location: deps.location,
      files: deps.files,
      boundFailure: deps.boundFailure,
      now: deps.now,
      settings,
      hostPrune: deps.hostPrune,
      policies: deps.policies,
      witnesses: deps.witnesses,
      roomOf: deps.roomOf,
      observed: (sessionId, observed) => this.#health.note(sessionId, observed),
      decided: deps.decided,
      storageFailed: deps.storageFailed,
    };
  }

  /** messages.transform: the history as it is sent; the very array that was given where nothing changes. */
  project(messages: readonly SessionMessage[]): Promise<readonly HostMessage[]> {
    const first = messages[0];
    if (first) this.#recorder.beginCall(first.info.sessionID as SessionId, messages);
    return projectHistory(this.#projector, messages);
  }

  /** system.transform: the strings as they are sent; the very array that was given where nothing changes. */
  composeSystem(call: SystemCall): readonly string[] {
    const { database, location, settings, decided, storageFailed } = this.deps;
    return composeSystem(
      {
        memories: this.#memories,
        recorder: this.#recorder,
        database,
        location,
        split: settings.split,
        decided,
        storageFailed,
      },
      call,
    );
  }

  /** Keys of the session's required sources that can't load now. */
  async missingSources(
    call: SourceCall & { readonly sessionId: SessionId },
  ): Promise<readonly SourceKey[]> {
    const { sources } = this.#memories.of(call.sessionId);
    const context = await sources.context(call, []);
    const required = context.sources.filter((source) => source.required);
    const seen = await observeGuarded({ sources: required }, this.deps.settings.sourceTimeoutMs);
    return seen.flatMap(({ key, state }) => (state.kind === "unavailable" ? [key] : []));
  }

  /** session.compacting: the next messages.transform of this session is the compaction's own. */
  markCompacting(sessionId: SessionId): void {
    this.#memories.of(sessionId).compacting = true;
  }

  /** Whether the next messages.transform of this session is a compaction's own, and no boundary. */
  isCompacting(sessionId: SessionId): boolean {
    return this.#memories.peek(sessionId)?.compacting ?? false;
  }

  /** A job of the session has settled, or a command has asked for something: the next boundary looks at it. */
  takeUpProposals(sessionId: SessionId): void {
    const memory = this.#memories.peek(sessionId);
    if (memory) this.#memories.takeUpProposals(memory);
  }

  /** tool.definition */
  sawTool(toolId: string, description: string): void {
    this.#recorder.sawTool(toolId, description);
  }

  /** The tools that were described last are for a call that is none of a session's. */
  passOverTools(): void {
    this.#recorder.passOverTools();
  }

  /** The host's price record of a model (`provider/model`) that is about to be called. */
  sawPrice(model: string, price: Price): void {
    this.#recorder.sawPrice(model, price);
  }

  /** The tools of an MCP server came, went or changed. */
  sawServerChange(server: string): void {
    this.#recorder.sawServerChange(server);
  }

  /** tool.execute.after of a read: its output without nested instructions that were told already. */
  settleRead(sessionId: SessionId, output: string, metadata: unknown): string {
    const memory = this.#memories.peek(sessionId);
    if (!memory) return output;
    return withoutToldNested(output, metadata, memory.sources.told);
  }

  settleTurn(call: ReportedCall): void {
    this.#recorder.settle(call);
  }

  /** Updates that a model had been sent in its own role went back to text, in the newest call. */
  fellBack(sessionId: SessionId, model: string, why: FallBack): void {
    this.#recorder.fellBack(sessionId, model, why);
  }

  sawStatus(sessionId: SessionId, status: "busy" | "idle"): void {
    if (status === "busy") {
      this.#busy.add(sessionId);
      return;
    }
    this.#busy.delete(sessionId);
    const memory = this.#memories.peek(sessionId);
    // A compaction that ended before its own pass must not take the next turn's.
    if (memory) memory.compacting = false;
  }

  isBusy(sessionId: SessionId): boolean {
    return this.#busy.has(sessionId);
  }

  callState(sessionId: SessionId): CallState {
    const memory = this.#memories.peek(sessionId);
    const pass = memory?.pass;
    if (!memory || !pass || pass.kind === "passthrough") return { kind: "none" };
    if (pass.kind === "opening") {
      // With an epoch in the ledger, the opening may as well have been lost to another process.
      return { kind: memory.ledger.epochs.length === 0 ? "waiting" : "none" };
    }
    return memory.lastTurn?.sentAtMs === pass.facts.startedAtMs
      ? { kind: "sent", baseline: pass.epoch.baseline, facts: pass.facts }
      : { kind: "waiting" };
  }

  /**
   * What the session's next call would be decided on; `listed` as the host lists it, without what an undo
   * hides. Null: it has no prompt yet. @throws StorageError
   */
  async nextCall(
    sessionId: SessionId,
    listed: readonly SessionMessage[],
  ): Promise<NextCall | null> {
    return nextCall(this.#projector, this.#memories.of(sessionId), listed);
  }

  /** What of the session's ledger takes effect on its whole history. @throws StorageError */
  shownOn(sessionId: SessionId, messages: readonly HostMessage[]): ReturnType<typeof shownOn> {
    return shownOn(this.deps.database().ledger.load(sessionId), messages);
  }

  /** The newest call of the session, once both of its hooks are through; null until then. */
  sentCall(sessionId: SessionId): SentCall | null {
    const memory = this.#memories.peek(sessionId);
    if (memory?.pass?.kind !== "steady") return null;
    const { epoch, facts } = memory.pass;
    if (memory.lastTurn?.sentAtMs !== facts.startedAtMs) return null;
    const entries = memory.ledger.entries.filter(({ epochSeq }) => epochSeq === epoch.seq);
    const epochNumber = memory.ledger.epochs.findIndex(({ seq }) => seq === epoch.seq) + 1;
    return { epoch, epochNumber, entries, facts };
  }

  /** The session was deleted: all its rows go. */
  removeSession(sessionId: SessionId): void {
    // What waits to be written would find no session to belong to.
    this.#recorder.flush();
    this.#memories.forget(sessionId);
    this.deps.database().sessions.remove(sessionId);
  }

  /** Sources that could not be observed at the session's last boundary. */
  failingSources(sessionId: SessionId): readonly SourceHealth[] {
    return this.#health.of(sessionId);
  }

  /** Writes down what waits to be written after a send. */
  flush(): void {
    this.#recorder.flush();
  }
}
