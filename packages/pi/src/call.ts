// Handles one model call of Pi's: turns its messages into rows, lets the kernel decide, and turns them back.

import type { Notice } from "@session-runtime/opencode/log/notices";
import type { DispatchHook } from "@session-runtime/opencode/runtime/dispatch-hooks";
import { sendRows } from "@session-runtime/opencode/runtime/host-calls";
import type { WithheldToolLookup } from "@session-runtime/opencode/runtime/unoffered-tools";
import type { SessionMessage } from "@session-runtime/opencode/session/history";
import type { SessionRuntime } from "@session-runtime/opencode/session/runtime";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { piAlone } from "./alone.ts";
import type { KnownRows } from "./known-rows.ts";
import { toPiMessages } from "./messages.ts";
import type { PiContext, PiMessage, PiModel } from "./pi.ts";
import { AGENT, groupMessages, type RowGroup } from "./rows.ts";
import {
  composeHostText,
  headWith,
  isReplaced,
  stripOwnSections,
  toolsIn,
  withoutTools,
} from "./system-text.ts";

interface CallDeps {
  readonly known: KnownRows;
  readonly runtime: SessionRuntime;
  readonly dispatch: DispatchHook;
  readonly sessionId: SessionId;
  readonly withheldTools: Pick<WithheldToolLookup, "listForTools">;
}

interface ProjectedCall {
  readonly messages: readonly PiMessage[];
  /** The history as Pi has it. */
  readonly host: readonly SessionMessage[];
}

/** Warns that another extension has changed the messages, so that they can't be matched with entries. */
export const changedByAnother: Notice = {
  code: "changed_by_another",
  severity: "warning",
  ends: "by over",
  message:
    "Another Pi extension changes the messages before Session Runtime sees them, so requests are sent as that extension makes them: nothing is kept, announced or folded.",
  remedy: "List Session Runtime before it in Pi's settings, or turn that extension off.",
};

/** Warns of a replaced prompt: the Baseline would not be sent, and updates after it would appear twice. */
export const promptReplaced: Notice = {
  code: "prompt_replaced",
  severity: "warning",
  ends: "by over",
  message:
    "Another Pi extension replaces the whole system prompt, so requests are sent as Pi makes them: nothing is kept, announced or folded.",
  remedy:
    "Turn that extension off, or have it change `systemPromptOptions.sections` in `before_agent_start` and return no `systemPrompt`.",
};

/** Returns a new list, because Pi's own is never changed; null sends Pi's own. */
export async function projectCall(
  { runtime, dispatch, sessionId, known, withheldTools }: CallDeps,
  messages: readonly PiMessage[],
  ctx: PiContext,
): Promise<ProjectedCall | "changed by another" | "prompt replaced" | null> {
  const { model, sessionManager } = ctx;
  if (!model) return null;
  const { entries } = sessionManager.buildSessionProjection();
  const groups = groupMessages(entries, messages, { sessionId, model, known });
  if (!groups) return "changed by another";
  const [first, ...others] = groups;
  const host = groups.flatMap((group) => (group.kind === "row" ? [group.row] : []));
  if (first?.kind !== "system" || host.length === 0) return null;
  const systems = groups.flatMap((group) => (group.kind === "system" ? [group.message] : []));
  if (isReplaced(systems, ctx.getSystemPrompt())) return "prompt replaced";
  const text = composeHostText(systems);
  seen(runtime, { sessionId, groups, model });
  const { provider: providerId, id } = model;
  const identity = { providerId, modelId: id, apiId: id, npm: "" };
  const all = toolsIn(systems);
  const caller = { sessionId, agent: AGENT, providerId, modelId: id };
  const withheld = new Set(all ? withheldTools.listForTools(caller, all) : []);
  const tools = all && new Set([...all].filter((name) => !withheld.has(name)));
  const call = { sessionId, rows: host, model: () => identity, text, tools };
  const layers = await sendRows({ runtime, dispatch }, call);
  if (!layers) return null;
  const { baseline, sent } = layers;
  const head = headWith(withoutTools(first.message, withheld), baseline);
  const later = others.flatMap((group) => withoutOurs(group, withheld));
  return { messages: [head, ...toPiMessages(later, sent)], host };
}

interface SeenCall {
  readonly sessionId: SessionId;
  readonly groups: readonly RowGroup[];
  readonly model: PiModel;
}

/** Records the facts that explain the call's bill. */
function seen({ turns }: SessionRuntime, { sessionId, groups, model }: SeenCall): void {
  turns.recordHostAlone(sessionId, piAlone(groups, model));
  for (const group of groups) {
    if (group.kind !== "system") continue;
    for (const { name, description = "" } of group.message.toolsAdded ?? []) {
      turns.recordTool(name, description);
    }
  }
}

/** Removes from a later system message what our updates announce. */
function withoutOurs(group: RowGroup, withheld: ReadonlySet<string>): readonly RowGroup[] {
  if (group.kind === "row") return [group];
  const message = stripOwnSections(withoutTools(group.message, withheld));
  return message ? [{ ...group, message }] : [];
}
