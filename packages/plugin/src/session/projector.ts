// Runs the messages.transform of one model call.
import { applyDelta, type Snapshot } from "../context/snapshot.ts";
import { withBoundedFailures } from "../ledger/bound-failures.ts";
import { type Boundary, findWatermark } from "../ledger/boundary.ts";
import { type BoundaryInputs, type Draft, listEdits, type NamedDraft } from "../ledger/entry.ts";
import type { HostMessage } from "../ledger/message.ts";
import { listSessionScoped, type Policy } from "../ledger/policy.ts";
import { holdPruned } from "../ledger/prune.ts";
import { replay } from "../ledger/replay.ts";
import type { CallSpace } from "../ledger/space.ts";
import type { EpochCause, SessionId } from "../storage/records.ts";
import { decideBoundary } from "./boundary.ts";
import { type CallDeps, collectBoundedTexts, toColdPauseMs } from "./call-deps.ts";
import { admitDrafts } from "./commit.ts";
import { readHistory, type SessionMessage, type UserMessage } from "./history.ts";
import { draftNestedWitnesses, listNestedPaths } from "./nested-witness.ts";
import { createRewriteCheck } from "./next-call.ts";
import { prepareEdits, prepareOpening, toPreparedDraft } from "./opening.ts";
import { type Call, type CallFacts, collectPassFacts, type Pass } from "./pass.ts";
import { buildSnapshotBefore } from "./pending-drafts.ts";
import { compareWithSent, createSentMessages } from "./sent-messages.ts";
import { pickHeldLedger, type SessionState, toModelKey, toMonotonicMs } from "./session-state.ts";
import { observeGuarded } from "./source-observation.ts";
import { type BoundaryInput, type Decision, viewSession } from "./view.ts";

/** Observes once, decides, commits and replays. Leaves a pass for the system.transform of the same call. */
export async function projectHistory(
  deps: CallDeps,
  messages: readonly SessionMessage[],
): Promise<readonly HostMessage[]> {
  const first = messages[0];
  if (!first) return messages;
  const memory = deps.memories.getOrCreate(first.info.sessionID as SessionId);
  const { user, head } = readHistory(messages);
  if (memory.compacting) {
    memory.compacting = false;
    return projectForCompaction(deps, memory, { messages, head });
  }
  memory.pass = { kind: "passthrough" };
  if (!user) return messages;
  adoptForeignWrites(deps, memory);
  const call = buildCall(deps, memory, { messages, user, head });
  const input = await gatherBoundaryInput(deps, memory, call);
  const decision = decideAndPrepare(deps, memory, { input, atMs: call.facts.startedAtMs });
  deps.observed(memory.sessionId, decision.observed);
  const on = toDecisionContext(call, input.space, decision.boundary);
  const { pendingDrafts } = memory;
  const pass =
    decision.kind === "opening"
      ? prepareOpening(call, decision, { on, pendingDrafts })
      : continueEpoch(deps, memory, call, { decision, on });
  memory.pass = pass;
  return pass.kind === "passthrough" ? messages : pass.facts.messages;
}

/**
 * Projects the messages of a compaction. Nothing is decided and no update is inserted, but the session's own
 * edits apply, because what they removed may not fit. Failed calls are bounded, because the host shortens
 * other results for a compaction but not these.
 */
async function projectForCompaction(
  deps: CallDeps,
  memory: SessionState,
  { messages, head }: Pick<Call, "messages" | "head">,
): Promise<readonly HostMessage[]> {
  adoptForeignWrites(deps, memory);
  const { location } = deps;
  const { shown } = viewSession({
    ...pickHeldLedger(memory),
    location,
    messages,
    held: messages,
    head,
  });
  const isOwn = listSessionScoped(deps.policies());
  const standing = shown.filter(({ origin }) => isOwn.has(origin));
  const texts = await collectBoundedTexts(deps.boundFailure, memory, messages);
  return withBoundedFailures(replay(listEdits(standing), messages), texts, standing);
}

function buildCall(
  deps: CallDeps,
  memory: SessionState,
  { messages, user, head }: Pick<Call, "messages" | "head"> & { readonly user: UserMessage },
): Call {
  const held = holdIfPruned(deps, messages);
  const { location } = deps;
  const viewed = viewSession({ ...pickHeldLedger(memory), location, messages, held, head });
  const { projected, ...view } = viewed;
  const sent =
    view.epoch && view.opening === null
      ? deps.memories.ensureSentMessages(memory, view.epoch.seq)
      : createSentMessages(null);
  return {
    messages,
    held,
    head,
    view,
    projected,
    facts: toCallFacts(user, toMonotonicMs(deps.now(), memory)),
    ...compareWithSent(messages, sent),
    sent: sent.ids,
    watermark: findWatermark(messages, sent.ids),
  };
}

/**
 * Makes the boundary's decision, or, if an epoch's edits can't be stored before they are sent, decides again
 * without the session's own policies and proposals.
 */
function decideAndPrepare(
  deps: CallDeps,
  memory: SessionState,
  { input, atMs }: { readonly input: BoundaryInput; readonly atMs: number },
): Decision {
  const decision = decideBoundary(input);
  if (decision.kind === "steady") return decision;
  if (prepareEdits(deps, memory, { ...decision, atMs }) === "stored") return decision;
  const toSilentPolicy = (policy: Policy) =>
    policy.scope === "session" ? { ...policy, draft: () => [] } : policy;
  return decideBoundary({ ...input, policies: input.policies.map(toSilentPolicy), proposals: [] });
}

async function gatherBoundaryInput(
  deps: CallDeps,
  memory: SessionState,
  call: Call,
): Promise<BoundaryInput> {
  const { messages, head, view, facts, unsent } = call;
  const { sessionId } = memory;
  const witnessed = collectWitnessDrafts(deps, memory, call);
  const belief = buildSnapshotBefore(view, memory.pendingDrafts);
  memory.sources.belief = belief;
  memory.sources.head = head;
  const paths = listWatchedPaths(view.opening, belief, witnessed);
  const context = await memory.sources.context({ ...facts, sessionId }, paths);
  const seen = await observeGuarded(context, {
    timeoutMs: deps.settings.sourceTimeoutMs,
    // A source that is missing at an epoch's start is in none of the epoch's calls until it is announced.
    files: view.opening === null ? "as others" : "to the end",
  });
  const bounded = await collectBoundedTexts(deps.boundFailure, memory, unsent);
  const projected =
    bounded.size === 0 ? call.projected : withBoundedFailures(call.projected, bounded, view.shown);
  return {
    view,
    messages,
    projected,
    observed: seen,
    watermark: call.watermark,
    policies: deps.policies(),
    witnessed,
    shownIn: (shown) =>
      shown === messages && view.opening !== null
        ? witnessed
        : draftNestedWitnesses(shown, [], deps.files),
    boundedTexts: bounded,
    coldPauseMs:
      memory.lastTurn && toColdPauseMs(deps.settings, facts.startedAtMs - memory.lastTurn.sentAtMs),
    hostPrune: deps.hostPrune(),
    modelCache: judgeModelCache(deps, memory, facts),
    asked: findRequestedCause(deps, memory, call),
    space: await deps.measureSpace({
      sessionId,
      ...facts,
      projected,
      isOutdated: createRewriteCheck(view.shown, messages),
    }),
    withheld: await deps.withheld({ sessionId, ...facts, messages, offered: memory.offered }),
    proposals: memory.proposals,
    prepared: memory.prepared.map(toPreparedDraft),
  };
}

function toDecisionContext(call: Call, space: CallSpace, boundary: Boundary): BoundaryInputs {
  const { held: messages, watermark, view } = call;
  return { messages, boundary, space, watermark, former: view.shown };
}

/** Commits before anything is sent, then sends what is committed. */
function continueEpoch(
  deps: CallDeps,
  memory: SessionState,
  call: Call,
  step: { readonly decision: Decision & { readonly kind: "steady" }; readonly on: BoundaryInputs },
): Pass {
  const { epoch, projected, snapshot } = admitDrafts(deps, memory, call, step);
  if (!epoch) return { kind: "passthrough" };
  memory.sources.belief = snapshot;
  const { boundary, drafts } = step.decision;
  if (projected !== call.projected && changesSentHistory(call, drafts)) {
    memory.rewrite = { boundary: boundary.kind, atMs: call.facts.startedAtMs };
  }
  // Another process may have opened an epoch in the meantime.
  const place = epoch.seq === call.view.epoch?.seq ? "same" : "another";
  const { rewrite } = memory;
  const facts = collectPassFacts(call, projected, { epoch: place, rewrite });
  return { kind: "steady", epoch, facts };
}

/** Says whether our edits change what was sent before, which is a deliberate rewrite. */
function changesSentHistory({ sent }: Call, drafts: readonly NamedDraft[]): boolean {
  return drafts.some(({ edit }) => {
    if (edit === null || edit.verb === "insert") return false;
    return sent.has(edit.verb === "fold" ? edit.first : edit.at.messageId);
  });
}

/**
 * Lists what the host has shown since the last call. If a storage error, the end of a process or an undo
 * leaves open what is on record for this epoch, lists what the host has shown in all of the epoch's calls;
 * before a new epoch, lists everything that it shows.
 */
function collectWitnessDrafts(
  deps: CallDeps,
  { witnessedEpochSeq }: SessionState,
  { messages, view, projected, unsent }: Call,
): readonly Draft[] {
  if (view.opening !== null) return draftNestedWitnesses(messages, [], deps.files);
  const isKnown = witnessedEpochSeq === view.epoch?.seq;
  const looked = isKnown ? holdIfPruned(deps, unsent) : projected;
  const { snapshot, standing } = view;
  const own = deps.witnesses().flatMap((of) => of({ messages: looked, snapshot, standing }));
  return [...draftNestedWitnesses(looked, standing, deps.files), ...own];
}

function holdIfPruned(deps: CallDeps, messages: readonly SessionMessage[]): readonly HostMessage[] {
  return deps.hostPrune() === "on" ? holdPruned(messages) : messages;
}

/** Lists the nested instructions shown so far, which are watched while the session stays in its Location. */
function listWatchedPaths(
  opening: EpochCause | null,
  belief: Snapshot,
  witnessed: readonly Draft[],
): readonly string[] {
  const former = opening === "moved" ? [] : listNestedPaths(belief);
  const shown = witnessed.flatMap((draft) => listNestedPaths(applyDelta({}, draft.delta)));
  return [...new Set([...former, ...shown])];
}

/**
 * Reads other processes' writes. If the database can't be read, the memory stays as it is, and committed
 * entries are replayed from it.
 */
function adoptForeignWrites(deps: CallDeps, memory: SessionState): void {
  try {
    deps.memories.refresh(memory);
  } catch (error) {
    deps.storageFailed(error);
  }
}

function toCallFacts(user: UserMessage, startedAtMs: number): CallFacts {
  return {
    agent: user.info.agent,
    providerId: user.info.model.providerID,
    modelId: user.info.model.modelID,
    ownSystem: user.info.system ?? null,
    structuredNote: user.info.format?.type === "json_schema" ? "present" : "absent",
    startedAtMs,
  };
}

/** Returns "usual" for a model that made the newest call, or any within the cache's life; else it is cold. */
function judgeModelCache(
  { settings }: Pick<CallDeps, "settings">,
  { lastTurn, modelSentAtMs }: SessionState,
  facts: CallFacts,
): BoundaryInput["modelCache"] {
  if (!lastTurn || isSameModel(lastTurn, facts)) return "usual";
  modelSentAtMs.set(toModelKey(lastTurn), lastTurn.sentAtMs);
  const sentAtMs = modelSentAtMs.get(toModelKey(facts)) ?? Number.NEGATIVE_INFINITY;
  return toColdPauseMs(settings, facts.startedAtMs - sentAtMs) === null ? "usual" : "cold";
}

/** The key of a part that the Baseline has if, and only if, we freeze the host's system prompt. */
const HOST_ENVIRONMENT_KEY = "core/environment";

function findRequestedCause(
  deps: CallDeps,
  { lastTurn }: SessionState,
  { facts, view }: Call,
): EpochCause | null {
  // A Baseline that includes the host's environment was made with `system: "ours"`. If this host is set otherwise,
  // the session was last used on another kind of host.
  const isOurs = view.epoch?.parts.some(({ key }) => key === HOST_ENVIRONMENT_KEY);
  if (view.epoch && isOurs !== (deps.settings.system === "ours")) return "replaced";
  if (deps.settings.onModelSwitch === "keep" || !lastTurn) return null;
  return isSameModel(lastTurn, facts) ? null : "model";
}

type ModelIds = Pick<CallFacts, "providerId" | "modelId">;

function isSameModel(one: ModelIds, other: ModelIds): boolean {
  return one.providerId === other.providerId && one.modelId === other.modelId;
}
