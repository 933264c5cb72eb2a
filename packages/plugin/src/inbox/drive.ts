// One look at an idle session's inbox, followed by at most one step.
import type { InputRecord, StoredPrompt } from "../storage/inbox-records.ts";
import type { SessionId } from "../storage/records.ts";
import type { HistoryMessage } from "./host.ts";
import type { InboxDeps } from "./inbox-deps.ts";
import type { Leases } from "./lease.ts";
import {
  type Cause,
  type Findings,
  findingsOf,
  type HoldReason,
  nextStep,
  type StandingInput,
  type Step,
} from "./plan.ts";
import { withPartIds } from "./prompt.ts";
import { type HistoryReading, isUnseen, readHistory, settledBy, standingOf } from "./standing.ts";
import { LOOK_AGAIN_MS, type Sending, type Underway } from "./underway.ts";

export interface DriveDeps {
  readonly deps: InboxDeps;
  readonly leases: Leases;
  readonly underway: Underway;
  /** Looks at the session again: something may be due. */
  readonly wake: (sessionId: SessionId) => void;
  /** Nothing goes on by itself; the user may want to know. */
  readonly held: (sessionId: SessionId, why: HoldReason, found: Found) => void;
}

interface Found {
  readonly findings: Findings;
  /** Inputs that no model call has had yet. */
  readonly unread: number;
}

/** What one look at a session came to. */
export type Drive =
  | { readonly kind: "nothing" }
  | { readonly kind: "busy" }
  /** Another process drives it. */
  | { readonly kind: "elsewhere" }
  /** An undo can still be taken back; any prompt would make it final. */
  | { readonly kind: "undone"; readonly found: Found }
  | { readonly kind: "looked"; readonly found: Found; readonly step: Step };

/** What a look came to, in a word. */
export function outcomeOf(went: Drive): string {
  return went.kind === "looked" ? went.step.kind : went.kind;
}

/**
 * One look at an idle session's inbox: what the history shows is recorded, and at most one step is
 * taken. The end of what it starts is the next look.
 */
export async function drive(
  context: DriveDeps,
  sessionId: SessionId,
  cause: Cause,
  signal: AbortSignal,
): Promise<Drive> {
  const { deps, leases, underway } = context;
  if (cause === "settled" && underway.isBusy(sessionId)) return { kind: "busy" };
  const { inbox } = deps.database();
  const working = inbox.working(sessionId);
  const [head] = inbox.waiting(sessionId, 0, 1);
  if (working.length === 0 && !head) {
    releaseIfDone(context, sessionId);
    return { kind: "nothing" };
  }
  if (leases.acquire(sessionId).kind === "held") return { kind: "elsewhere" };
  const session = await deps.host.session(sessionId);
  if (!session || (await deps.host.activity(sessionId)) === "busy") return { kind: "busy" };
  const history = await historyWith(context, sessionId, working);
  const reading = readHistory(history);
  const open = settle(deps, working, reading);
  if (open.length === 0 && !head) releaseIfDone(context, sessionId);
  const isUnderway = ({ input: { messageId }, standing }: StandingInput) => {
    if (messageId === null) return false;
    const isPartial = standing === "unsaved" || standing === "torn";
    if (isPartial) return underway.mayStillCome(messageId, "unsaved");
    // On the user's word nothing is waited for: what is saved runs at most once, whoever starts it.
    return cause !== "resume" && underway.mayStillCome(messageId, "saved");
  };
  // A prompt that this process is just taking in is no interruption.
  const stuck = open.filter((one) => !isUnderway(one));
  const found = {
    findings: findingsOf(stuck, reading, inbox.countWaiting(sessionId)),
    unread: open.filter(({ input }) => input.promotedAtMs === null).length,
  };
  if (session.revert === "undone") return { kind: "undone", found };
  const step = nextStep({
    cause,
    working: open,
    end: reading.end,
    waiting: head ? "some" : "none",
    isUnderway,
  });
  // An interruption stops what would be sent, not what is recorded or told.
  if (step.kind !== "hold") signal.throwIfAborted();
  if (cause !== "look") await act(context, { sessionId, step, head: head ?? null, history, found });
  return { kind: "looked", found, step };
}

/** Looks anew: while the host was asked for its history, the next prompt may have come. */
function releaseIfDone({ deps, leases, underway }: DriveDeps, sessionId: SessionId): void {
  const { inbox } = deps.database();
  const isOpen = inbox.working(sessionId).length > 0 || inbox.countWaiting(sessionId) > 0;
  if (!isOpen && !underway.isTaken(sessionId)) leases.release(sessionId);
}

const FIRST_WINDOW = 30;

/** The newest part of the history that holds all of these inputs, or else all of it. */
async function historyWith(
  { deps }: DriveDeps,
  sessionId: SessionId,
  working: readonly InputRecord[],
): Promise<readonly HistoryMessage[]> {
  for (let count = FIRST_WINDOW; ; count *= 8) {
    const messages = await deps.host.history(sessionId, count);
    if (messages.length < count) return messages;
    const ids = new Set(messages.map(({ info }) => info.id));
    if (working.every(({ messageId }) => messageId !== null && ids.has(messageId))) return messages;
  }
}

/** Records what the history shows; gives what is still open. */
function settle(
  deps: InboxDeps,
  working: readonly InputRecord[],
  reading: HistoryReading,
): readonly StandingInput[] {
  const { inbox } = deps.database();
  const open: StandingInput[] = [];
  const saved: string[] = [];
  for (const input of working) {
    const prompt = isUnseen(input) ? inbox.prompt(input.id) : null;
    const standing = standingOf(input, prompt, reading);
    const state = settledBy(standing);
    if (state === null) open.push({ input, standing });
    else inbox.settle(input.id, state, deps.now());
    const found = standing === "unanswered" || standing === "swallowed";
    if (found && input.promotedAtMs === null && input.state !== "saved") saved.push(input.id);
  }
  if (saved.length > 0) inbox.save(saved);
  return open;
}

interface Action {
  readonly sessionId: SessionId;
  readonly step: Step;
  readonly head: InputRecord | null;
  readonly history: readonly HistoryMessage[];
  readonly found: Found;
}

async function act(context: DriveDeps, action: Action): Promise<void> {
  const { sessionId, step } = action;
  switch (step.kind) {
    case "rest":
      if (action.found.findings.waiting > 0 || action.found.unread > 0)
        lookLater(context, sessionId);
      return;
    case "hold":
      context.held(sessionId, step.why, action.found);
      return;
    case "promote":
      await promoteHead(context, action);
      return;
    case "send":
      await sendAll(context, step.inputs);
      return;
    case "again":
      await sendAgain(context, step.input);
      return;
    case "replace":
      await sendAll(
        context,
        step.inputs.flatMap((input) => replace(context.deps, input) ?? []),
      );
      return;
  }
}

function lookLater({ deps, wake }: DriveDeps, sessionId: SessionId): void {
  deps.later(() => wake(sessionId), LOOK_AGAIN_MS);
}

/** Id and settings are stored before the host hears of it: after a crash it is the same prompt. */
async function promoteHead(context: DriveDeps, { head, history }: Action): Promise<void> {
  const { deps } = context;
  const stored = head && deps.database().inbox.prompt(head.id);
  if (!head || !stored) return;
  const messageId = head.messageId ?? deps.ids.message();
  const prompt = withSettings(
    { ...stored, parts: withPartIds(stored.parts, () => deps.ids.part()) },
    history,
  );
  if (deps.database().inbox.hand(head.id, messageId, prompt) === "gone") return;
  await dispatch(context, { ...head, messageId }, prompt, "first");
}

/** Agent, model and variant are those of the newest prompt, where it names none itself. */
function withSettings(prompt: StoredPrompt, history: readonly HistoryMessage[]): StoredPrompt {
  const newest = history.findLast(({ info }) => info.role === "user")?.info;
  const { model } = newest ?? {};
  return {
    ...prompt,
    agent: prompt.agent ?? newest?.agent ?? null,
    model:
      prompt.model ?? (model ? { providerID: model.providerID, modelID: model.modelID } : null),
    variant: prompt.variant ?? (prompt.model ? null : (model?.variant ?? null)),
  };
}

/**
 * Sends these, in order. All but the last are saved without a call of their own: one turn has all of
 * them. Rejects where the host can't be reached; the inputs stay, and can be sent again.
 */
export async function sendAll(context: DriveDeps, inputs: readonly InputRecord[]): Promise<void> {
  const { inbox } = context.deps.database();
  for (const [index, input] of inputs.entries()) {
    const prompt = inbox.prompt(input.id);
    if (!prompt || input.messageId === null) continue;
    if (input.state === "refused") inbox.hand(input.id, input.messageId, prompt);
    const reply = index < inputs.length - 1 ? "none" : prompt.reply;
    const how = prompt.form === "given" ? "first" : "whole";
    await dispatch(context, input, { ...prompt, reply }, how);
  }
}

async function sendAgain(context: DriveDeps, input: InputRecord): Promise<void> {
  const prompt = context.deps.database().inbox.prompt(input.id);
  if (prompt) await dispatch(context, input, { ...prompt, parts: [] }, "again");
}

async function dispatch(
  { deps, underway, wake }: DriveDeps,
  input: InputRecord,
  prompt: StoredPrompt,
  how: Sending,
): Promise<void> {
  const { sessionId, messageId } = input;
  if (messageId === null) return;
  underway.send(messageId, how);
  const parts = how === "first" ? prompt.parts : [];
  try {
    await deps.host.send({
      sessionId,
      messageId,
      prompt: { ...prompt, parts },
      reply: prompt.reply,
    });
  } catch (error) {
    underway.abandon(messageId);
    throw error;
  }
  // A prompt that the host turns away ends in no event.
  deps.later(() => wake(sessionId), LOOK_AGAIN_MS);
}

function replace(deps: InboxDeps, input: InputRecord): InputRecord | null {
  const { inbox } = deps.database();
  const prompt = inbox.prompt(input.id);
  if (!prompt) return null;
  const parts = withPartIds(prompt.parts, () => deps.ids.part());
  const messageId = deps.ids.message();
  inbox.replace(input.id, { messageId, prompt: { ...prompt, parts }, admittedAtMs: deps.now() });
  return inbox.find(messageId);
}
