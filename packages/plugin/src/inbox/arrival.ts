// A prompt in chat.message: stored, an exact retry, a conflict, or refused.
import type { Admission, InputRecord, StoredPrompt } from "../storage/inbox-records.ts";
import type { SessionId } from "../storage/records.ts";
import type { InboxDeps } from "./inbox-deps.ts";
import {
  type Asked,
  isNote,
  type PromptPart,
  plainParts,
  previewOf,
  promptDigest,
} from "./prompt.ts";
import type { Sending, Underway } from "./underway.ts";

/** A prompt in chat.message: what is changed in `message` and `parts` is what the host saves. */
export interface ArrivingPrompt {
  readonly sessionId: SessionId;
  /** The user row as it will be saved. */
  readonly message: Record<string, unknown> & {
    readonly id: string;
    readonly agent: string;
    readonly model: {
      readonly providerID: string;
      readonly modelID: string;
      readonly variant?: string | undefined;
    };
    readonly system?: string | undefined;
    readonly format?: unknown;
  };
  readonly parts: PromptPart[];
  /** What the caller asked for by name. */
  readonly asked: Pick<Asked, "agent" | "model" | "variant">;
}

/** Keeps a prompt out of the conversation; the caller reads why. */
export class PromptRefused extends Error {
  constructor(
    readonly reason: "conflict" | "unavailable" | "held",
    message: string,
  ) {
    super(message);
    this.name = "PromptRefused";
  }
}

export interface Arrivals {
  readonly deps: InboxDeps;
  readonly underway: Underway;
  /** A prompt of this session is admitted and on its way. */
  readonly admitted: (sessionId: SessionId, messageId: string) => void;
}

/**
 * chat.message: the prompt is on disk before the host saves or schedules anything. A reused id is an
 * exact retry, which adds nothing, or a conflict.
 * @throws PromptRefused
 */
export async function arrive(arrivals: Arrivals, prompt: ArrivingPrompt): Promise<void> {
  const { deps, underway } = arrivals;
  const { sessionId, message, parts } = prompt;
  if (isNote(parts)) return;
  const sending = underway.takeSending(message.id);
  const { inbox } = deps.database();
  const known = sending === null ? null : inbox.find(message.id);
  if (sending !== null && known !== null) {
    await arriveOurs(arrivals, prompt, known, sending);
    return;
  }
  const admission = admit(deps, prompt);
  switch (admission.kind) {
    case "conflict":
      throw new PromptRefused("conflict", conflictText(admission.record, prompt));
    case "retry":
      await retry(arrivals, prompt, admission.record);
      return;
    case "admitted":
      arrivals.admitted(sessionId, message.id);
      await refuseWithoutSources(arrivals, prompt, admission.record);
  }
}

function admit(deps: InboxDeps, { sessionId, message, parts, asked }: ArrivingPrompt): Admission {
  const plain = plainParts(parts);
  const { id, agent, model, system = null, format = null } = message;
  const { providerID, modelID, variant = null } = model;
  return deps.database().inbox.admit({
    sessionId,
    id,
    directory: deps.directory,
    delivery: "steer",
    state: "handed",
    messageId: id,
    digest: promptDigest(plain, { ...asked, system, format }),
    preview: previewOf(plain),
    prompt: {
      form: "resolved",
      reply: "wanted",
      parts: plain,
      agent,
      model: { providerID, modelID },
      variant,
      system,
      format,
    },
    admittedAtMs: deps.now(),
  });
}

function conflictText(record: InputRecord, { sessionId, message }: ArrivingPrompt): string {
  const other =
    record.sessionId !== sessionId
      ? "a prompt of another session"
      : record.delivery === "queue"
        ? "a prompt of the queue"
        : "a different prompt of this session";
  return `The message id ${message.id} is taken by ${other}. Nothing was stored or sent. Send the same prompt for a retry, or this one under a new id.`;
}

/** The same prompt again: what the host holds of it stays as it is, and its loop wakes. */
async function retry(
  arrivals: Arrivals,
  prompt: ArrivingPrompt,
  record: InputRecord,
): Promise<void> {
  const { deps } = arrivals;
  const saved = await deps.host.message(prompt.sessionId, prompt.message.id);
  const { inbox } = deps.database();
  if (saved === null && (record.state === "saved" || record.state === "promoted")) {
    inbox.settle(record.id, "undone", deps.now());
  }
  const current = inbox.find(record.id) ?? record;
  if (saved === null && isOver(current)) {
    // It was taken back by the user: said again, it is a new prompt, at the end of the history.
    inbox.settle(record.id, "undone", deps.now());
    inbox.forget(record.id);
    const anew = admit(deps, prompt);
    arrivals.admitted(prompt.sessionId, prompt.message.id);
    await refuseWithoutSources(arrivals, prompt, anew.record);
    return;
  }
  arrivals.admitted(prompt.sessionId, prompt.message.id);
  await refuseWithoutSources(arrivals, prompt, current);
  const stored = inbox.prompt(record.id);
  if (stored && current.state === "refused") inbox.hand(record.id, prompt.message.id, stored);
  takeStored(prompt, current, stored, saved);
}

function isOver({ state }: InputRecord): boolean {
  return state === "answered" || state === "recorded" || state === "undone";
}

interface Saved {
  readonly info: Readonly<Record<string, unknown>>;
  readonly partIds: readonly string[];
}

/**
 * Puts the stored prompt in the place of what was given: rows and parts of the same ids are written
 * again as they were, so that nothing is appended and what a crash cut off is completed.
 */
function takeStored(
  prompt: ArrivingPrompt,
  record: InputRecord,
  stored: StoredPrompt | null,
  saved: Saved | null,
): void {
  const { message, parts } = prompt;
  if (saved) Object.assign(message, saved.info);
  if (saved && (record.promotedAtMs !== null || !stored)) {
    parts.splice(0);
    return;
  }
  if (stored?.form !== "resolved") return;
  const here = stored.parts.map((part) => ({
    ...part,
    messageID: message.id,
    sessionID: prompt.sessionId,
  }));
  const missing = here.filter(
    (part) => !saved?.partIds.includes(String(part["id" as keyof object])),
  );
  parts.splice(0, parts.length, ...missing);
}

/** A prompt that the inbox itself is sending. */
async function arriveOurs(
  arrivals: Arrivals,
  prompt: ArrivingPrompt,
  record: InputRecord,
  sending: Sending,
): Promise<void> {
  const { deps, underway } = arrivals;
  const { inbox } = deps.database();
  const { sessionId, message, parts } = prompt;
  if (sending === "first" && record.delivery === "queue" && underway.isTaken(sessionId)) {
    inbox.turnBack(record.id);
    underway.abandon(message.id);
    throw new PromptRefused("held", "A queued prompt waits on: the session has become busy.");
  }
  arrivals.admitted(sessionId, message.id);
  await refuseWithoutSources(arrivals, prompt, record);
  const stored = inbox.prompt(record.id);
  if (stored?.form === "given") {
    const { agent, model, system = null, format = null } = message;
    const { providerID, modelID, variant = null } = model;
    inbox.resolve(record.id, {
      ...stored,
      form: "resolved",
      parts: plainParts(parts),
      agent,
      model: { providerID, modelID },
      variant,
      system,
      format,
    });
    return;
  }
  takeStored(prompt, record, stored, await deps.host.message(sessionId, message.id));
}

/** The prompt is in the inbox by now: refused, it stays there, and can be tried again. */
async function refuseWithoutSources(
  { deps, underway }: Arrivals,
  { sessionId, message }: ArrivingPrompt,
  record: InputRecord,
): Promise<void> {
  const missing = await deps.missingSources({
    sessionId,
    agent: message.agent,
    providerId: message.model.providerID,
    modelId: message.model.modelID,
  });
  if (missing.length === 0) return;
  deps.database().inbox.turnBack(record.id);
  underway.abandon(message.id);
  const names = missing.join(", ");
  throw new PromptRefused(
    "unavailable",
    `The prompt was kept and not sent: ${names} can't be loaded, and onUnavailable is "block". /ctx-resume tries again; onUnavailable: "omit" sends prompts without it.`,
  );
}
