// Checks a session: reads its state, decides, and takes at most one step.
import type { HistoryMessage, InboxHost } from "../../feature-api/prompt.ts";
import type { SessionId } from "../../storage/records.ts";
import type { InFlightPrompts } from "./in-flight-prompts.ts";
import type { InboxDeps } from "./inbox-deps.ts";
import type { Instance } from "./instance.ts";
import type {
  CheckCause,
  CheckedStep,
  decide,
  Facts,
  HoldReason,
  InputStatus,
  InterruptionCounts,
  Outcome,
  SendPermission,
  Settings,
} from "./plan.ts";
import { addPartIds } from "./prompt.ts";
import { isUnseen, readHistory, resolvePromptStatus } from "./prompt-status.ts";
import type { InputRecord } from "./records.ts";
import { handToHost, scheduleRecheck, sendAll, sendInput } from "./send.ts";
import type { InboxStore } from "./store.ts";
import { describeHold } from "./words.ts";

// Reads a session's rows, and asks the host for what a check needs; decides nothing.

/** The rows with which a check of a session begins. */
interface OpenRows {
  readonly working: readonly InputRecord[];
  readonly head: InputRecord | null;
}

export function readOpenRows(rows: InboxStore, sessionId: SessionId): OpenRows {
  const [head = null] = rows.waiting(sessionId, 0, 1);
  return { working: rows.working(sessionId), head };
}

/** What the host has of a session that is idle. */
interface SettledSession extends Pick<Facts, "revert"> {
  readonly history: readonly HistoryMessage[];
}

/** Asks the host about a session; null if the session is running or no longer exists. */
export async function askHost(
  host: Pick<InboxHost, "session" | "activity" | "history">,
  sessionId: SessionId,
  { working }: OpenRows,
): Promise<SettledSession | null> {
  const session = await host.session(sessionId);
  if (!session || (await host.activity(sessionId)) === "busy") return null;
  return { revert: session.revert, history: await loadHistory(host, sessionId, working) };
}

/** Gathers the facts. The rows are read last, so that the caller can decide before anything else happens. */
export function gatherFacts(
  {
    rows,
    ids,
  }: { readonly rows: InboxStore; readonly ids: Pick<InboxDeps["ids"], "createMessageId"> },
  sessionId: SessionId,
  { working, head }: OpenRows,
  { revert, history }: SettledSession,
): Facts {
  const reading = readHistory(history);
  const known = [...working, head];
  return {
    revert,
    turn: { end: reading.end, openTools: reading.openTools },
    working: working.map((input) => {
      const prompt = isUnseen(input) ? rows.prompt(input.id) : null;
      return { input, standing: resolvePromptStatus(input, prompt, reading) };
    }),
    head,
    waiting: rows.countWaiting(sessionId),
    since: hasUnknownRows(readOpenRows(rows, sessionId), known) ? "a prompt" : "nothing",
    newest: findNewestSettings(history),
    freshIds: known.map(() => ids.createMessageId()),
  };
}

function hasUnknownRows(
  { working, head }: OpenRows,
  known: readonly (InputRecord | null)[],
): boolean {
  const ids = new Set(known.map((input) => input?.id));
  return [...working, head].some((input) => input !== null && !ids.has(input.id));
}

const FIRST_WINDOW_MESSAGES = 30;

/**
 * Returns the newest part of the history that contains all of these inputs; if none does, the whole history.
 */
async function loadHistory(
  host: Pick<InboxHost, "history">,
  sessionId: SessionId,
  working: readonly InputRecord[],
): Promise<readonly HistoryMessage[]> {
  for (let count = FIRST_WINDOW_MESSAGES; ; count *= 8) {
    const messages = await host.history(sessionId, count);
    if (messages.length < count) return messages;
    const ids = new Set(messages.map(({ info }) => info.id));
    if (working.every(({ messageId }) => messageId !== null && ids.has(messageId))) return messages;
  }
}

function findNewestSettings(history: readonly HistoryMessage[]): Settings {
  const newest = history.findLast(({ info }) => info.role === "user")?.info;
  const { providerID, modelID, variant = null } = newest?.model ?? {};
  const model = providerID !== undefined && modelID !== undefined ? { providerID, modelID } : null;
  return { agent: newest?.agent ?? null, model, variant };
}

/** A request to check a session, with its cause and whether it has been stopped in the meantime. */
interface SessionCheck {
  readonly sessionId: SessionId;
  readonly cause: CheckCause;
  readonly leave: () => SendPermission;
  readonly decide: typeof decide;
}

/**
 * Returns the outcome; null if the check was stopped. Rejects if the host can't be reached, or refuses.
 * @throws StorageError
 */
export async function runCheck(instance: Instance, asked: SessionCheck): Promise<Outcome | null> {
  const { deps, rows, traffic } = instance;
  const { sessionId, cause } = asked;
  if (cause === "settled" && traffic.isBusy(sessionId)) return { kind: "busy" };
  const open = readOpenRows(rows(), sessionId);
  if (open.working.length === 0 && open.head === null) {
    releaseSession(instance, sessionId);
    return { kind: "nothing" };
  }
  if (instance.leases.acquire(sessionId) === "none") return { kind: "elsewhere" };
  const resting = await askHost(deps.host, sessionId, open);
  if (!resting) return { kind: "busy" };
  const facts = gatherFacts({ rows: rows(), ids: deps.ids }, sessionId, open, resting);
  const isUnderway = (one: InputStatus) => isInFlight(traffic, cause, one);
  const decision = asked.decide(facts, { cause, leave: asked.leave(), isUnderway });
  for (const { id, as } of decision.settled) rows().settle(id, as, deps.now());
  if (decision.saved.length > 0) rows().save(decision.saved);
  if (decision.open === "nothing") releaseSession(instance, sessionId);
  if (decision.step) await takeStep(instance, sessionId, decision.step, facts);
  return decision.drive;
}

/**
 * Says whether a prompt is still on its way. A resume that the user asked for doesn't wait for a saved
 * prompt, which runs at most once, whoever starts it.
 */
function isInFlight(
  traffic: InFlightPrompts,
  cause: CheckCause,
  { input, standing }: InputStatus,
): boolean {
  const { messageId } = input;
  if (messageId === null) return false;
  const isPartial = standing === "unsaved" || standing === "torn";
  if (isPartial) return traffic.mayStillArrive(messageId, "unsaved");
  return cause !== "resume" && traffic.mayStillArrive(messageId, "saved");
}

/** Releases the lease of a session without open prompts, unless a prompt is about to run here. */
function releaseSession({ holds, traffic, leases }: Instance, sessionId: SessionId): void {
  holds.clear(sessionId);
  if (!traffic.isTaken(sessionId)) leases.release(sessionId);
}

async function takeStep(
  instance: Instance,
  sessionId: SessionId,
  step: CheckedStep,
  { head, newest, freshIds, waiting }: Facts,
): Promise<void> {
  if (step.kind !== "rest" && step.kind !== "hold") instance.holds.clear(sessionId);
  switch (step.kind) {
    case "rest":
      if (waiting > 0 || step.found.unread > 0) scheduleRecheck(instance, sessionId);
      return;
    case "hold":
      return holdSession(instance, sessionId, step.why, step.found);
    case "promote": {
      const messageId = head?.messageId ?? freshIds.at(-1);
      if (!head || messageId === undefined) return;
      await handToHost(instance, head, messageId, newest);
      return scheduleRecheck(instance, sessionId);
    }
    case "send":
      return sendAll(instance, step.inputs);
    case "again":
      return sendInput(instance, step.input, "again");
    case "replace":
      return sendAll(instance, replaceInputs(instance, step.inputs, freshIds));
  }
}

/** Admits inputs again, each under one of the fresh ids. */
function replaceInputs(
  { deps, rows }: Instance,
  inputs: readonly InputRecord[],
  freshIds: readonly string[],
): readonly InputRecord[] {
  return inputs.map((input, index) => {
    const messageId = String(freshIds[index]);
    const stored = rows().prompt(input.id);
    if (stored) {
      const prompt = { ...stored, parts: addPartIds(stored.parts, () => deps.ids.createPartId()) };
      rows().replace(input.id, { messageId, prompt, admittedAtMs: deps.now() });
    }
    return { ...input, id: messageId, messageId, state: "handed", promotedAtMs: null };
  });
}

function holdSession(
  { holds }: Instance,
  sessionId: SessionId,
  why: HoldReason,
  found: InterruptionCounts,
): void {
  // An answer that was cut short is not news, because whoever stopped it knows.
  const isNews = found.unread > 0 || found.waiting > 0 || found.unsaved > 0;
  if (isNews) holds.show(sessionId, describeHold(why, found));
}
