// The messages.transform of one model call.

import { applyDelta, type Snapshot } from "../context/snapshot.ts";
import { withBoundedFailures } from "../policies/bound-failures.ts";
import type { DecidedOn } from "../policies/decided.ts";
import type { Draft, NamedDraft } from "../policies/draft.ts";
import { type Policy, sessionScoped } from "../policies/policy.ts";
import type { Boundary } from "../projection/boundary.ts";
import { ledgerEdits } from "../projection/entry.ts";
import type { HostMessage } from "../projection/message.ts";
import { watermark } from "../projection/position.ts";
import { holdPruned } from "../projection/prune.ts";
import { replay } from "../projection/replay.ts";
import type { Space } from "../projection/space.ts";
import type { EpochCause, SessionId } from "../storage/records.ts";
import { admit } from "./admit.ts";
import { type BoundaryInput, type Decision, decide } from "./boundary.ts";
import type { CallDeps } from "./call-deps.ts";
import type { CallFacts, CallValues } from "./call-values.ts";
import { boundedFailures } from "./failed-calls.ts";
import { observeGuarded } from "./guarded-load.ts";
import { headOf, newestUser, type SessionMessage, type UserMessage } from "./history.ts";
import { monotonicNow, type SessionMemory, viewOf } from "./memory.ts";
import { nestedPaths, witnessNested } from "./nested-witness.ts";
import { beginOpening, prepare, preparedDraft } from "./opening.ts";
import { rewrittenSince } from "./rewritten.ts";
import { compareWithSent, idsOf, nothingSent, replacedIn } from "./sent-messages.ts";
import { coldPauseMs } from "./settings.ts";
import { beliefBefore } from "./unstored.ts";

/** Observes once, decides, commits, and replays. Leaves a pass for the system.transform of the same call. */
export async function projectHistory(
  deps: CallDeps,
  messages: readonly SessionMessage[],
): Promise<readonly HostMessage[]> {
  const first = messages[0];
  if (!first) return messages;
  const memory = deps.memories.of(first.info.sessionID as SessionId);
  if (memory.compacting) {
    memory.compacting = false;
    return projectForCompaction(deps, memory, messages);
  }
  memory.pass = { kind: "passthrough" };
  const user = newestUser(messages);
  if (!user) return messages;
  takeUpForeignWrites(deps, memory);
  const call = valuesOf(deps, { memory, messages, user });
  const input = await inputOf(deps, call);
  const decision = storable(deps, call, input);
  deps.observed(memory.sessionId, decision.observed);
  const on = decidedOn(call, input.space, decision.boundary);
  return decision.kind === "opening"
    ? beginOpening(call, decision, on)
    : continueEpoch(deps, call, decision, on);
}

/**
 * The pass that the host makes for a compaction: nothing is decided and no update inserted, but the
 * session's own edits hold, as what they took away may not fit. What failed calls say is bounded: the
 * host shortens results for a compaction, and not that.
 */
async function projectForCompaction(
  deps: CallDeps,
  memory: SessionMemory,
  messages: readonly SessionMessage[],
): Promise<readonly HostMessage[]> {
  takeUpForeignWrites(deps, memory);
  const { shown } = viewOf(memory, deps.location, { messages, held: messages });
  const isOwn = sessionScoped(deps.policies());
  const standing = shown.filter(({ origin }) => isOwn.has(origin));
  const texts = await boundedFailures(deps.boundFailure, memory, messages);
  return withBoundedFailures(replay(ledgerEdits(standing), messages), texts, standing);
}

function valuesOf(
  deps: CallDeps,
  {
    memory,
    messages,
    user,
  }: {
    readonly memory: SessionMemory;
    readonly messages: readonly SessionMessage[];
    readonly user: UserMessage;
  },
): CallValues {
  const held = asHeld(deps, messages);
  const view = viewOf(memory, deps.location, { messages, held });
  const sent =
    view.epoch && view.opening === null
      ? deps.memories.sentIn(memory, view.epoch.seq)
      : nothingSent(null);
  const { unsent, historyIds } = compareWithSent(messages, sent);
  const facts = factsOf(user, monotonicNow(deps.now(), memory));
  return {
    memory,
    messages,
    held,
    view,
    facts,
    unsent,
    historyIds,
    sent: sent.ids,
    watermark: watermark(messages, sent.ids),
  };
}

/** Where the edits of an epoch can't be stored before they are sent, what is on record already goes on. */
function storable(deps: CallDeps, call: CallValues, input: BoundaryInput): Decision {
  const decision = decide(input);
  if (decision.kind === "steady") return decision;
  const { memory, facts } = call;
  const step = { drafts: decision.drafts, atMs: facts.startedAtMs };
  if (prepare(deps, memory, step) === "stored") return decision;
  const silent = (policy: Policy) =>
    policy.scope === "session" ? { ...policy, draft: () => [] } : policy;
  return decide({ ...input, policies: input.policies.map(silent) });
}

async function inputOf(deps: CallDeps, call: CallValues): Promise<BoundaryInput> {
  const { memory, messages, view, facts, unsent } = call;
  const { sessionId } = memory;
  const shownIn = (shown: readonly HostMessage[]) => witnessNested(shown, [], deps.files);
  const witnessed = view.opening === null ? witness(deps, call) : shownIn(messages);
  const belief = beliefBefore(view, memory.unstored);
  memory.sources.belief = belief;
  memory.sources.head = headOf(messages);
  const paths = watchedPaths(view.opening, belief, witnessed);
  const context = await memory.sources.context({ ...facts, sessionId }, paths);
  const seen = await observeGuarded(context, deps.settings.sourceTimeoutMs);
  const bounded = await boundedFailures(deps.boundFailure, memory, unsent);
  const projected = withBoundedFailures(view.projected, bounded, view.shown);
  return {
    view,
    messages,
    projected,
    observed: seen,
    watermark: call.watermark,
    policies: deps.policies(),
    witnessed,
    shownIn,
    boundedTexts: bounded,
    coldPauseMs:
      memory.lastTurn && coldPauseMs(deps.settings, facts.startedAtMs - memory.lastTurn.sentAtMs),
    hostPrune: deps.hostPrune(),
    asked: askedCause(deps, call),
    space: await deps.spaceOf({
      sessionId,
      ...facts,
      projected,
      isOutdated: rewrittenSince(view.shown, messages),
    }),
    proposals: memory.proposals,
    prepared: memory.prepared.map(preparedDraft),
  };
}

function decidedOn(call: CallValues, space: Space, boundary: Boundary): DecidedOn {
  const { held: messages, watermark, view } = call;
  return { messages, boundary, space, watermark, former: view.shown };
}

/** Commits before anything is sent, then sends what is committed. */
function continueEpoch(
  deps: CallDeps,
  call: CallValues,
  decision: Decision & { readonly kind: "steady" },
  on: DecidedOn,
): readonly HostMessage[] {
  const { memory, messages, view, facts, unsent, historyIds } = call;
  const admitted = admit(deps, call, decision, on);
  const { epoch, projected } = admitted;
  if (!epoch) return messages;
  memory.sources.belief = admitted.snapshot;
  // Where another process has opened an epoch meanwhile, nothing is known to have been sent in it.
  const isSameEpoch = epoch.seq === view.epoch?.seq;
  const replaced = replacedIn(projected, messages);
  const unsentIds = [...(isSameEpoch ? idsOf(unsent) : historyIds), ...idsOf(replaced.made)];
  if (projected !== view.projected && changesSent(call, decision.drafts)) {
    memory.rewrite = { boundary: decision.boundary.kind, atMs: facts.startedAtMs };
  }
  const { rewrite } = memory;
  memory.pass = {
    kind: "steady",
    epoch,
    facts: { ...facts, messages: projected, unsentIds, historyIds, replaced, rewrite },
  };
  return projected;
}

/** Whether edits of ours change what was sent before: a rewrite, and no fault of anybody's. */
function changesSent({ sent }: CallValues, drafts: readonly NamedDraft[]): boolean {
  return drafts.some(({ edit }) => {
    if (edit === null || edit.verb === "insert") return false;
    return sent.has(edit.verb === "fold" ? edit.first : edit.at.messageId);
  });
}

/**
 * What the host has shown since the last call; where a storage error, the end of a process or an undo
 * leave open what is on record of this epoch, what it has shown in all calls of it.
 */
function witness(deps: CallDeps, { memory, view, unsent }: CallValues): readonly Draft[] {
  const isKnown = memory.witnessedEpochSeq === view.epoch?.seq;
  const looked = isKnown ? asHeld(deps, unsent) : view.projected;
  const { snapshot, standing } = view;
  const own = deps.witnesses().flatMap((of) => of({ messages: looked, snapshot, standing }));
  return [...witnessNested(looked, standing, deps.files), ...own];
}

function asHeld(deps: CallDeps, messages: readonly SessionMessage[]): readonly HostMessage[] {
  return deps.hostPrune() === "on" ? holdPruned(messages) : messages;
}

/** Nested instructions are watched from when they were shown, as long as the session stays in its Location. */
function watchedPaths(
  opening: EpochCause | null,
  belief: Snapshot,
  witnessed: readonly Draft[],
): readonly string[] {
  const former = opening === "moved" ? [] : nestedPaths(belief);
  const shown = witnessed.flatMap((draft) => nestedPaths(applyDelta({}, draft.delta)));
  return [...new Set([...former, ...shown])];
}

/** A database that can't be asked leaves the memory as it is: what is committed is replayed from it. */
function takeUpForeignWrites(deps: CallDeps, memory: SessionMemory): void {
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

/** Only where the host's system prompt is ours to freeze, and always there. */
const HOSTS_PART = "core/environment";

function askedCause(
  deps: CallDeps,
  { memory, facts, view }: Pick<CallValues, "memory" | "facts" | "view">,
): EpochCause | null {
  // The session has come from a host of the other kind.
  const isOurs = view.epoch?.parts.some(({ key }) => key === HOSTS_PART);
  if (view.epoch && isOurs !== (deps.settings.system === "ours")) return "replaced";
  const { lastTurn } = memory;
  if (deps.settings.onModelSwitch === "keep" || !lastTurn) return null;
  const same = lastTurn.providerId === facts.providerId && lastTurn.modelId === facts.modelId;
  return same ? null : "model";
}
