// The messages.transform of one call: observe, decide, commit, replay.
import type { Observed } from "../context/observe.ts";
import { applyDelta, type Snapshot } from "../context/snapshot.ts";
import { boundFailures } from "../policies/bound-failures.ts";
import type { Draft } from "../policies/draft.ts";
import type { HostMessage } from "../projection/message.ts";
import { holdPruned } from "../projection/prune.ts";
import { replay } from "../projection/replay.ts";
import type { FileCache } from "../sources/file-cache.ts";
import type { EpochCause, Location, SessionId } from "../storage/records.ts";
import type { RuntimeDatabase } from "../storage/store.ts";
import { admit, type DecidedPass } from "./admit.ts";
import { decide, ledgerEdits } from "./boundary.ts";
import { headCompaction } from "./compaction.ts";
import { type BoundFailure, boundedFailures } from "./failed-calls.ts";
import { observeGuarded } from "./guarded-load.ts";
import { newestUser, type SessionMessage, type UserMessage } from "./history.ts";
import { monotonicNow, type SessionMemories, type SessionMemory, viewOf } from "./memory.ts";
import { nestedPaths, witnessNested } from "./nested-witness.ts";
import type { PassFacts } from "./pass.ts";
import { compareWithSent, idsOf, madeIds, nothingSent } from "./sent-messages.ts";
import { formerOf, toldBefore } from "./unstored.ts";

export interface ProjectorDeps {
  readonly memories: SessionMemories;
  readonly database: () => RuntimeDatabase;
  readonly location: Location;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly cacheTtlMs: number;
  readonly sourceTimeoutMs: number;
  readonly onModelSwitch: "keep" | "fold";
  readonly hostPrune: () => "on" | "off";
  readonly files: FileCache;
  readonly boundFailure: BoundFailure;
  /** Hears what each boundary saw, for status and diagnosis. */
  readonly observed: (sessionId: SessionId, observed: Observed) => void;
  /** Something could not be stored; the turn goes on with what is. */
  readonly storageFailed: (error: unknown) => void;
}

type CallFacts = Omit<PassFacts, "messages" | "unsentIds" | "historyIds">;

/**
 * The messages.transform of one model call: observes once, decides, commits, and replays. Leaves a
 * pass for the system.transform of the same call.
 */
export async function projectHistory(
  deps: ProjectorDeps,
  messages: readonly SessionMessage[],
): Promise<readonly HostMessage[]> {
  const first = messages[0];
  if (!first) return messages;
  const memory = deps.memories.of(first.info.sessionID as SessionId);
  if (memory.compacting) {
    // The pass that the host makes for a compaction: nothing is decided in it and nothing inserted.
    memory.compacting = false;
    return bounded(deps, memory, messages);
  }
  memory.pass = { kind: "passthrough" };
  const user = newestUser(messages);
  if (!user) return messages;
  takeUpForeignWrites(deps, memory);
  const facts = factsOf(user, monotonicNow(deps.now(), memory));
  const view = viewOf(memory, deps.location, messages);
  const sent =
    view.epoch && view.opening === null
      ? deps.memories.sentIn(memory, view.epoch.seq)
      : nothingSent(null);
  const { unsent, historyIds } = compareWithSent(messages, sent);
  const shown = () => witnessNested(messages, [], deps.files);
  const witnessed =
    view.opening === null ? witness(deps, memory, { view, messages, unsent }) : shown();
  const told = toldBefore(view, memory.unstored);
  memory.sources.told = told;
  memory.sources.head = headCompaction(messages);
  const call = { ...facts, sessionId: memory.sessionId };
  const context = await memory.sources.context(call, watchedPaths(view.opening, told, witnessed));
  const seen = await observeGuarded(context, deps.sourceTimeoutMs);
  const decision = decide({
    view,
    messages,
    observed: seen,
    sent: sent.ids,
    witnessed,
    shown,
    boundedFailures: await boundedFailures(deps.boundFailure, memory, unsent),
    idleMs: memory.lastTurn ? facts.startedAtMs - memory.lastTurn.sentAtMs : 0,
    cacheTtlMs: deps.cacheTtlMs,
    hostPrune: deps.hostPrune(),
    asked: askedCause(deps, memory, facts),
  });
  deps.observed(memory.sessionId, decision.observed);
  switch (decision.kind) {
    case "opening": {
      const former = formerOf(view, memory.unstored);
      const { ledgerSeq: afterSeq, startMessageId } = view;
      const opening = { ...decision, afterSeq, startMessageId, former };
      const projected = opened(messages, decision.drafts);
      memory.pass = {
        kind: "opening",
        opening,
        facts: {
          ...facts,
          messages: projected,
          unsentIds: [...historyIds, ...madeIds(projected, messages)],
          historyIds,
        },
      };
      return projected;
    }
    case "steady":
      return replayCommitted(deps, {
        memory,
        messages,
        view,
        facts: { ...facts, historyIds },
        unsent,
        drafts: decision.drafts,
      });
  }
}

/** The host shortens results for a compaction, not what failed calls say: whole, it may not fit. */
async function bounded(
  deps: ProjectorDeps,
  memory: SessionMemory,
  messages: readonly SessionMessage[],
): Promise<readonly HostMessage[]> {
  const texts = await boundedFailures(deps.boundFailure, memory, messages);
  return opened(messages, boundFailures(messages, texts, []));
}

/** An epoch's first call has results as its later ones will have them; its entries are stored with it. */
function opened(
  messages: readonly SessionMessage[],
  drafts: readonly Draft[],
): readonly HostMessage[] {
  const edits = drafts.flatMap(({ edit }, index) =>
    edit?.verb === "replace" ? [{ seq: index + 1, edit }] : [],
  );
  return edits.length === 0 ? messages : replay(edits, messages);
}

/**
 * What the host has shown since the last call; where a storage error, the end of a process or an undo
 * leave open what is on record of this epoch, what it has shown in all calls of it.
 */
function witness(
  deps: ProjectorDeps,
  memory: SessionMemory,
  { view, messages, unsent }: Pick<SteadyPass, "view" | "messages"> & Unsent,
): readonly Draft[] {
  const { standing } = view;
  if (memory.witnessedEpochSeq === view.epoch?.seq) {
    return witnessNested(asHeld(deps, unsent), standing, deps.files);
  }
  const projected = replay(ledgerEdits(standing), asHeld(deps, messages));
  return witnessNested(projected, standing, deps.files);
}

interface Unsent {
  readonly unsent: readonly SessionMessage[];
}

/** The host's messages, without what its prune has blanked. */
function asHeld(deps: ProjectorDeps, messages: readonly SessionMessage[]): readonly HostMessage[] {
  return deps.hostPrune() === "on" ? holdPruned(messages) : messages;
}

/** Nested instructions are watched from when they were shown, as long as the session stays in its Location. */
function watchedPaths(
  opening: EpochCause | null,
  told: Snapshot,
  witnessed: readonly Draft[],
): readonly string[] {
  const former = opening === "moved" ? [] : nestedPaths(told);
  const shown = witnessed.flatMap((draft) => nestedPaths(applyDelta({}, draft.delta)));
  return [...new Set([...former, ...shown])];
}

interface SteadyPass extends Unsent, DecidedPass {
  readonly facts: CallFacts & Pick<PassFacts, "historyIds">;
}

/** Commits before anything is sent, then replays what is committed. */
function replayCommitted(deps: ProjectorDeps, pass: SteadyPass): readonly HostMessage[] {
  const { memory, messages, facts } = pass;
  const committed = admit(deps, pass);
  const epoch = committed.epoch;
  if (!epoch) return messages;
  memory.sources.told = committed.snapshot;
  const projected = replay(ledgerEdits(committed.standing), asHeld(deps, messages));
  // Where another process has opened an epoch meanwhile, nothing is known to have been sent in it.
  const isSameEpoch = epoch.seq === pass.view.epoch?.seq;
  const unsentIds = [
    ...(isSameEpoch ? idsOf(pass.unsent) : facts.historyIds),
    ...madeIds(projected, messages),
  ];
  memory.pass = { kind: "steady", epoch, facts: { ...facts, messages: projected, unsentIds } };
  return projected;
}

/** A database that can't be asked leaves the memory as it is: what is committed is replayed from it. */
function takeUpForeignWrites(deps: ProjectorDeps, memory: SessionMemory): void {
  try {
    deps.memories.refresh(memory);
  } catch (error) {
    deps.storageFailed(error);
  }
}

function factsOf(user: UserMessage, startedAtMs: number): CallFacts {
  return {
    agent: user.info.agent,
    providerId: user.info.model.providerID,
    modelId: user.info.model.modelID,
    ownSystem: user.info.system ?? null,
    structuredNote: user.info.format?.type === "json_schema" ? "present" : "absent",
    startedAtMs,
  };
}

function askedCause(
  deps: ProjectorDeps,
  memory: SessionMemory,
  facts: CallFacts,
): EpochCause | null {
  const { lastTurn } = memory;
  if (deps.onModelSwitch === "keep" || !lastTurn) return null;
  const same = lastTurn.providerId === facts.providerId && lastTurn.modelId === facts.modelId;
  return same ? null : "model";
}
