// One model call of OpenCode 2: its messages as rows, decided and stored by the kernel, and as messages again.
import { wrapUpdate } from "../context/frames.ts";
import type { DispatchHook } from "../runtime/dispatch-hooks.ts";
import { sendRows } from "../runtime/host-calls.ts";
import type { WithheldToolLookup } from "../runtime/unoffered-tools.ts";
import type { SessionMessage } from "../session/history.ts";
import type { SessionRuntime } from "../session/runtime.ts";
import { hostOwnedText } from "../sources/host-blocks.ts";
import type { SessionId } from "../storage/records.ts";
import type { V2ContextEvent, V2Message } from "./context.ts";
import type { V2Models } from "./models.ts";
import { groupMessages } from "./rows.ts";
import { toSentMessages } from "./send.ts";
import type { StoredReader } from "./stored.ts";

interface CallDeps {
  readonly runtime: SessionRuntime;
  readonly withheldTools: Pick<WithheldToolLookup, "listForTools">;
  readonly dispatch: DispatchHook;
  readonly models: V2Models;
  readonly stored: StoredReader;
}

interface ProjectedCall {
  readonly messages: readonly V2Message[];
  /** The history as the host has it. */
  readonly host: readonly SessionMessage[];
}

/** Returns null if nothing of the call is on record, or the request is built in an unknown way. */
export async function projectCall(
  { runtime, dispatch, models, stored, withheldTools }: CallDeps,
  event: V2ContextEvent,
): Promise<ProjectedCall | null> {
  removeWithheld(withheldTools, event);
  const groups = groupMessages(event, await stored.readFor(event));
  if (!groups) return null;
  const sessionId = event.sessionID as SessionId;
  const host = groups.map(({ row }) => row);
  const layers = await sendRows(
    { runtime, dispatch },
    {
      sessionId,
      rows: host,
      model: () => models.resolveIdentity(event.model),
      text: hostOwnedText,
      tools: listToolNames(event),
    },
  );
  if (!layers) return null;
  const { providerID, id } = event.model;
  const price = models.findPrice(event.model);
  if (price) runtime.turns.recordPrice(`${providerID}/${id}`, price);
  const { baseline, sent } = layers;
  return { messages: [...createBaselineMessages(baseline), ...toSentMessages(groups, sent)], host };
}

/** Removes our tools that exceed the provider's limit. */
function removeWithheld(withheldTools: CallDeps["withheldTools"], event: V2ContextEvent): void {
  const offered = listToolNames(event);
  if (offered === null) return;
  const { sessionID, agent, model, tools } = event;
  const caller = { providerId: model.providerID, modelId: model.id, agent };
  const names = withheldTools.listForTools(
    { sessionId: sessionID as SessionId, ...caller },
    offered,
  );
  for (const name of names) delete tools?.[name];
}

function listToolNames({ tools }: V2ContextEvent): ReadonlySet<string> | null {
  return tools === undefined ? null : new Set(Object.keys(tools));
}

/** Builds each request's first message in the epoch from our own sources; the system prompt is the host's. */
function createBaselineMessages(baseline: string): readonly V2Message[] {
  return baseline === "" ? [] : [createTextMessage(wrapUpdate(baseline))];
}

/** Returns the messages of a compaction's own request; null keeps the host's. */
export async function projectCompaction(
  { runtime, dispatch, stored }: CallDeps,
  event: V2ContextEvent,
): Promise<readonly V2Message[] | null> {
  const sessionId = event.sessionID as SessionId;
  const groups = groupMessages(event, await stored.readFor(event));
  if (!groups) return null;
  runtime.beginCompaction(sessionId);
  const sent = await runtime.projectHistory(groups.map(({ row }) => row));
  const output = { context: [] as string[] };
  await dispatch("compacting", sessionId, output);
  return [...toSentMessages(groups, sent), ...output.context.map(createTextMessage)];
}

function createTextMessage(text: string): V2Message {
  return { role: "user", content: [{ type: "text", text }] };
}
