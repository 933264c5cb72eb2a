// Gives stored prompts to the host, stops a running turn, and finds prompts that asked for no reply.
import type { Dispatch, InterruptResult, StoredPrompt } from "../../feature-api/prompt.ts";
import type { SessionId } from "../../storage/records.ts";
import { RECHECK_DELAY_MS, type SendState } from "./in-flight-prompts.ts";
import type { InboxDeps } from "./inbox-deps.ts";
import type { Instance } from "./instance.ts";
import type { Settings } from "./plan.ts";
import { addPartIds } from "./prompt.ts";
import type { InputRecord } from "./records.ts";

/**
 * Sends the queue's next prompt to the host, unless it has changed in the meantime. Its id and settings are
 * stored first, so that it is still the same prompt after a crash. Rejects if the host refuses it.
 */
export async function handToHost(
  instance: Instance,
  { id, sessionId }: InputRecord,
  messageId: string,
  newest: Settings,
): Promise<void> {
  const { deps, rows } = instance;
  const stored = rows().prompt(id);
  if (!stored) return;
  const parts = addPartIds(stored.parts, () => deps.ids.createPartId());
  const prompt = addSettings({ ...stored, parts }, newest);
  if (rows().hand(id, messageId, prompt) === "gone") return;
  await dispatch(instance, { sessionId, messageId, prompt }, "first");
}

/**
 * Fills in the agent and the model that the prompt leaves open from the newest prompt's settings, and the variant
 * if the prompt names no model of its own.
 */
function addSettings(prompt: StoredPrompt, newest: Settings): StoredPrompt {
  return {
    ...prompt,
    agent: prompt.agent ?? newest.agent,
    model: prompt.model ?? newest.model,
    variant: prompt.variant ?? (prompt.model ? null : newest.variant),
  };
}

/** Sends several inputs: all but the last are saved without a call, so that a single turn has all of them. */
export async function sendAll(instance: Instance, inputs: readonly InputRecord[]): Promise<void> {
  for (const [index, input] of inputs.entries()) {
    await sendInput(instance, input, index === inputs.length - 1 ? "alone" : "batch");
  }
}

/**
 * Sends an input. `batch`: without a call, before an input that has one; `alone`: with a call unless it asked
 * for none; `again`: as an exact retry of a saved input.
 */
export async function sendInput(
  instance: Instance,
  input: InputRecord,
  as: "batch" | "alone" | "again",
): Promise<void> {
  const { rows } = instance;
  const { id, sessionId, messageId } = input;
  const stored = rows().prompt(id);
  if (stored && messageId !== null) {
    if (input.state === "refused") rows().hand(id, messageId, stored);
    const prompt = as === "batch" ? { ...stored, reply: "none" as const } : stored;
    const how = as === "again" ? "again" : stored.form === "given" ? "first" : "whole";
    await dispatch(instance, { sessionId, messageId, prompt }, how);
  }
  scheduleRecheck(instance, sessionId);
}

/**
 * Checks again later, because no event reports a prompt that never arrives, nor one that the host turns away.
 */
export function scheduleRecheck({ lifetime, wake }: Instance, sessionId: SessionId): void {
  lifetime.schedule("inbox", RECHECK_DELAY_MS, () => wake(sessionId));
}

/** Sends a prompt. If that fails, its row stays as it is, and the prompt can be sent again. */
async function dispatch(
  { deps, traffic }: Instance,
  { sessionId, messageId, prompt }: Omit<Dispatch, "reply">,
  how: SendState,
): Promise<void> {
  traffic.recordSend(sessionId, messageId, how);
  const parts = how === "first" ? prompt.parts : [];
  try {
    const { reply } = prompt;
    await deps.host.send({ sessionId, messageId, prompt: { ...prompt, parts }, reply });
  } catch (error) {
    traffic.recordFailure(messageId);
    throw error;
  }
}

// Stops the running turn and waits until it has ended.

/** The time that a turn is given to begin, or to clean up. */
const STOP_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 50;

type StopDeps = Pick<InboxDeps, "host" | "later">;

/**
 * Stops the running turn and waits until it has stopped; an idle session is left as it is. A turn that is
 * about to begin, according to `mayBegin`, is awaited first, because it would begin even if it were stopped
 * before that.
 */
export async function stopTurn(
  deps: StopDeps,
  sessionId: SessionId,
  mayBegin: () => boolean,
): Promise<InterruptResult> {
  if (!(await waitForActivity("busy", deps, sessionId, mayBegin))) return "idle";
  await deps.host.abort(sessionId);
  return (await waitForActivity("idle", deps, sessionId, () => true)) ? "stopped" : "lingers";
}

async function waitForActivity(
  wanted: "busy" | "idle",
  { host, later }: StopDeps,
  sessionId: SessionId,
  mayStill: () => boolean,
): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < STOP_TIMEOUT_MS; waitedMs += POLL_INTERVAL_MS) {
    if ((await host.activity(sessionId)) === wanted) return true;
    if (!mayStill()) return false;
    await new Promise<void>((resolve) => later(resolve, POLL_INTERVAL_MS));
  }
  return false;
}

// Finds the prompts that asked for no reply. The host does not say which ones did, but it saves them, and
// their session does not run.

/** The time during which no prompt of any session may arrive, be saved or begin to run. */
const QUIET_PERIOD_MS = 1_000;
/** A timer that fires this late shows that the process can't keep up. */
const MAX_TIMER_LAG_MS = 250;
/** The most times that the wait is repeated in a process in which something begins every second. */
const MAX_QUIET_WAITS = 30;

/**
 * Records a prompt that was saved in an idle session and does not run. When many prompts come at once,
 * seconds of work can lie between a prompt's saving and its turn, and a process that was killed in between
 * would not offer the prompt again. So the wait begins again whenever anything else begins, or the process
 * lags. A prompt that runs after all is then promoted like any other; a prompt that was saved in a running
 * turn, or cut off before its first call, did ask for a reply and is offered again.
 */
export async function recordWithoutReply(
  instance: Instance,
  sessionId: SessionId,
  messageId: string,
): Promise<void> {
  const { deps, lifetime, traffic, rows } = instance;
  for (let waits = 1; ; waits += 1) {
    const isCalm = await staysIdle(instance, QUIET_PERIOD_MS);
    if (lifetime.isClosed || !traffic.isQuiet(messageId)) return;
    if (isCalm || waits === MAX_QUIET_WAITS) break;
  }
  traffic.endQuietWait(messageId);
  if ((await deps.host.activity(sessionId)) === "busy") return;
  const input = rows().find(messageId);
  // A check may already have found the prompt saved.
  if (input?.state !== "handed" && input?.state !== "saved") return;
  rows().settle(input.id, "recorded", deps.now());
}

async function staysIdle({ deps, traffic }: Instance, quietMs: number): Promise<boolean> {
  const { beginnings } = traffic;
  const dueMs = deps.now() + quietMs;
  await new Promise<void>((resolve) => deps.later(resolve, quietMs));
  return traffic.beginnings === beginnings && deps.now() - dueMs <= MAX_TIMER_LAG_MS;
}
