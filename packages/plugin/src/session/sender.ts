// Runs the system.transform of one call: sends the stored Baseline, or a new epoch's.
import type { SourceKey } from "../context/key.ts";
import { applyDelta, findEntry } from "../context/snapshot.ts";
import type { HostText } from "../sources/host-blocks.ts";
import { findHostStringIndex } from "../sources/host-system.ts";
import type { EpochRecord } from "../storage/ledger-table.ts";
import type { SessionId } from "../storage/records.ts";
import { type CallDeps, toDecisionEvent } from "./call-deps.ts";
import { commitDecision, rankDrafts } from "./commit.ts";
import { freezeBaseline, layOutSystem, type SystemShape } from "./freeze.ts";
import type { NewEpoch, Pass, PassFacts } from "./pass.ts";
import { createSentMessages } from "./sent-messages.ts";
import { hasCacheBreakpoints, type ModelIdentity, SessionSources } from "./session-sources.ts";
import type { SessionState } from "./session-state.ts";
import type { SentSystem, TurnRecorder } from "./turn-recorder.ts";

export interface SenderDeps extends CallDeps {
  readonly recorder: TurnRecorder;
}

export interface SystemCall {
  readonly sessionId: SessionId;
  readonly model: ModelIdentity;
  /** The host's own strings, with those that other plugins have put before and after them. */
  readonly strings: readonly string[];
}

/** A call of a host that passes its text in pieces. */
export interface TextCall {
  readonly sessionId: SessionId;
  readonly model: ModelIdentity;
  readonly text: HostText;
}

/**
 * Handles the system.transform of one model call: puts the stored Baseline in place of the host's blocks. A call
 * without an environment block (a title, a compaction) and one whose projection failed are sent as the host made
 * them.
 */
export function composeSystem(deps: SenderDeps, call: SystemCall): readonly string[] {
  const memory = deps.memories.peek(call.sessionId);
  const at = findHostStringIndex(call.strings);
  const text = call.strings[at];
  if (!memory || text === undefined) return call.strings;
  const { pass } = memory;
  if (!pass || pass.kind === "passthrough") return call.strings;
  const system = memory.systems.read(text, {
    modelApiId: call.model.apiId,
    providerId: call.model.providerId,
    directory: deps.location.directory,
    ownSystem: pass.facts.ownSystem,
    structuredNote: pass.facts.structuredNote,
    expectedInstructions: memory.sources.expectedInstructions(),
  });
  if (!system) return call.strings;
  // The flag is not cleared earlier: a title call may come between session.compacting and the compaction's own
  // pass.
  memory.compacting = false;
  memory.sources.seen.recordSighting(system.blocks);
  const head = call.strings.slice(0, at);
  // A string before the host's is live: a change to it counts as a change of the preamble.
  const preamble = [...head, system.preamble ?? ""].filter((one) => one !== "").join("\n");
  const sent = composeSent(deps, memory, {
    ...{ pass, model: call.model },
    system: { ...system, preamble },
  });
  if (!sent) return call.strings;
  const layers = { ...sent, preamble: system.preamble ?? "" };
  const foreign = { before: head, after: call.strings.slice(at + 1) };
  return layOutSystem(layers, foreign, chooseShape(deps, call.model));
}

/** Returns the layers of a call's system text; null if the host's own text is sent as it is. */
export function composeText(
  deps: SenderDeps,
  { sessionId, model, text }: TextCall,
): SentSystem | null {
  const memory = deps.memories.peek(sessionId);
  const pass = memory?.pass;
  if (!memory || !pass || pass.kind === "passthrough") return null;
  return composeSent(deps, memory, { pass, system: text, model });
}

interface SendInput {
  readonly pass: Exclude<Pass, { readonly kind: "passthrough" }>;
  readonly system: HostText;
  readonly model: ModelIdentity;
}

/** Composes what is sent; null if the call's new epoch could not be stored. */
function composeSent(
  deps: SenderDeps,
  memory: SessionState,
  { pass, system, model }: SendInput,
): SentSystem | null {
  const { facts } = pass;
  const epoch =
    pass.kind === "steady" ? pass.epoch : openEpoch(deps, memory, { ...pass, system, model });
  if (!epoch) return null;
  memory.pass = { kind: "steady", epoch, facts };
  const sent: SentSystem = {
    preamble: system.preamble ?? "",
    baseline: epoch.baseline,
    live: system.live ?? "",
  };
  recordTurn(deps, memory, { epoch, facts, sent });
  return sent;
}

function chooseShape(deps: SenderDeps, model: ModelIdentity): SystemShape {
  return deps.settings.split === "auto" && hasCacheBreakpoints(model) ? "split" : "joined";
}

interface OpeningPass {
  readonly opening: NewEpoch;
  readonly facts: PassFacts;
  readonly system: HostText;
  readonly model: ModelIdentity;
}

/**
 * Freezes and stores the new epoch before anything of it is sent. If that fails, the host's own string is
 * sent, and the next call tries again.
 */
function openEpoch(deps: SenderDeps, memory: SessionState, pass: OpeningPass): EpochRecord | null {
  const { opening, facts } = pass;
  const epoch = buildEpoch(deps, memory, pass);
  const entries = rankDrafts(opening.drafts, {
    sessionId: memory.sessionId,
    epochSeq: epoch.seq,
    afterSeq: epoch.seq,
    decidedAtMs: facts.startedAtMs,
  });
  const { afterSeq: expectedSeq, settled } = opening;
  const decision = { expectedSeq, epoch, entries, settled };
  try {
    if (commitDecision(deps.database(), memory, decision) === "committed") {
      memory.witnessedEpochSeq = epoch.seq;
      memory.sources.belief = entries.reduce(
        (snapshot, { delta }) => applyDelta(snapshot, delta),
        epoch.snapshot,
      );
      const stored = { epochSeq: epoch.seq, atMs: facts.startedAtMs, entries };
      const news = toDecisionEvent(stored, opening.on.former);
      if (news) deps.decided(memory.sessionId, { ...opening.on, ...news });
      return epoch;
    }
    // Another process began the epoch first: its Baseline is the one to send, from the next call on.
    deps.memories.reload(memory);
    return null;
  } catch (error) {
    deps.storageFailed(error);
    return null;
  }
}

function buildEpoch(deps: SenderDeps, memory: SessionState, pass: OpeningPass): EpochRecord {
  const { opening, facts, system, model } = pass;
  const blocks = memory.sources.freezeBlocks(system.blocks);
  const stated = memory.sources.stated(blocks, model);
  const { former } = opening;
  const baseline = freezeBaseline({
    blocks,
    standIns: system.standIns,
    stated,
    observed: opening.observed.filter(({ key }) => belongsInBaseline(key, opening)),
    former: former.epoch && opening.cause !== "moved" ? former : null,
  });
  return {
    sessionId: memory.sessionId,
    seq: opening.afterSeq + 1,
    cause: opening.cause,
    location: deps.location,
    startMessageId: opening.startMessageId,
    baseline: baseline.text,
    parts: baseline.parts,
    snapshot: baseline.snapshot,
    startedAtMs: facts.startedAtMs,
  };
}

/**
 * Decides whether the Baseline states a source. The host's text states those that are read off it; a source
 * that the host has just shown in a tool result, and that was never in a Baseline, stays in that result.
 */
function belongsInBaseline(key: SourceKey, opening: NewEpoch): boolean {
  if (SessionSources.readOffText.has(key)) return false;
  const shown = opening.drafts.some((draft) => Object.hasOwn(draft.delta, key));
  return !shown || findEntry(opening.former.snapshot, key) !== undefined;
}

/** Records the turn in memory at once, for later boundaries, and in the database after the send. */
function recordTurn(
  deps: SenderDeps,
  memory: SessionState,
  turn: { readonly epoch: EpochRecord; readonly facts: PassFacts; readonly sent: SentSystem },
): void {
  const { epoch, facts } = turn;
  // A retry of the provider call arrives here with the same pass, and is the same turn.
  if (memory.lastTurn?.sentAtMs === facts.startedAtMs) return;
  const { ids } = memory.sent.epochSeq === epoch.seq ? memory.sent : createSentMessages(epoch.seq);
  const formerEnd = facts.messages.findLastIndex(({ info }) => ids.has(info.id));
  const newMessageIds = [...new Set(facts.unsentIds)].filter((id) => !ids.has(id));
  for (const id of newMessageIds) ids.add(id);
  memory.sent = { epochSeq: epoch.seq, ids, history: facts.historyIds };
  memory.lastTurn = {
    epochSeq: epoch.seq,
    providerId: facts.providerId,
    modelId: facts.modelId,
    sentAtMs: facts.startedAtMs,
  };
  deps.recorder.record({
    sessionId: memory.sessionId,
    epochSeq: epoch.seq,
    facts,
    system: turn.sent,
    formerEnd,
    newMessageIds,
  });
}
