// Translates OpenCode 2's messages into the kernel's rows, with the kernel's names for tools.
import { toFields, type UnknownFields } from "../context/fields.ts";
import type { CompletedToolState, FailedToolState, HostPart } from "../ledger/message.ts";
import type { SessionMessage } from "../session/history.ts";
import { createCheckpointRows, readCheckpointText } from "./checkpoint.ts";
import type { V2ContextEvent, V2Message, V2Part, V2Result } from "./context.ts";
import type { StoredMessages } from "./stored.ts";

// Translates OpenCode 2's own tools into the names and arguments by which the kernel knows what a call does.

const KERNEL_TOOL_NAMES: ReadonlyMap<string, string> = new Map([
  ["shell", "bash"],
  ["subagent", "task"],
  ["patch", "apply_patch"],
]);

const FILE_TOOLS: ReadonlySet<string> = new Set(["read", "write", "edit"]);

/** Translates a call; other tools, and those of a session that began on 1.18, stay as they are. */
export function toKernelTool(
  name: string,
  given: unknown,
): { readonly tool: string; readonly input: unknown } {
  const tool = KERNEL_TOOL_NAMES.get(name) ?? name;
  const { path, ...others }: UnknownFields = toFields(given);
  if (!FILE_TOOLS.has(name) || path === undefined) return { tool, input: given };
  return { tool, input: { filePath: path, ...others } };
}

/**
 * A message that has an id, with the following messages that don't: its results, and the host's system
 * updates.
 */
export interface MessageGroup {
  readonly row: SessionMessage;
  /**
   * The message with the id; null for the row that asked for a compaction, for which the host has no message.
   */
  readonly head: V2Message | null;
  readonly followers: readonly V2Message[];
}

interface HeadedMessages {
  readonly head: V2Message;
  readonly followers: readonly V2Message[];
}

/** Returns null if the request is built in an unknown way, so that it is left as it is. */
export function groupMessages(
  event: V2ContextEvent,
  stored: StoredMessages,
): readonly MessageGroup[] | null {
  const groups: { head: V2Message; followers: V2Message[] }[] = [];
  for (const message of event.messages) {
    const isHead = message.role === "user" || message.role === "assistant";
    const last = groups.at(-1);
    if (isHead && typeof message.id === "string") groups.push({ head: message, followers: [] });
    else if (isHead || !last) return null;
    else last.followers.push(message);
  }
  const ids = new Set(groups.map(({ head }) => head.id));
  if (ids.size < groups.length) return null;
  let parentID = "";
  return groups.flatMap((group, at): readonly MessageGroup[] => {
    const { head, followers } = group;
    if (head.role === "user") parentID = head.id ?? "";
    const row = toRow(event, stored, { ...group, parentID });
    const text = at === 0 ? readCheckpointText(head) : null;
    if (text === null || row.info.role !== "user") return [{ row, head, followers }];
    const [asked, summary] = createCheckpointRows(row.info, text);
    return [
      { row: asked, head: null, followers: [] },
      { row: summary, head, followers },
    ];
  });
}

function toRow(
  { sessionID, agent, model }: V2ContextEvent,
  stored: StoredMessages,
  { head, followers, parentID }: HeadedMessages & { readonly parentID: string },
): SessionMessage {
  const { id = "" } = head;
  const results = new Map(
    [head, ...followers].flatMap(({ content }) =>
      content.flatMap((part) =>
        part.type === "tool-result" ? [[part.id, part.result] as const] : [],
      ),
    ),
  );
  // A request has neither times nor figures.
  const { time = { created: 0 }, type, ...figures } = stored.get(id) ?? {};
  // Text from a skill, a shell or a plugin was not typed by the user.
  const typed = head.role === "user" && type !== undefined && type !== "user" ? { typed: "" } : {};
  const parts = head.content.map((part, index) => ({
    ...toPart(part, results),
    ...(part.type === "text" && typed),
    id: buildPartId(id, part, index),
    messageID: id,
    sessionID,
  }));
  const base = { id, sessionID, time };
  const named = { providerID: model.providerID, modelID: model.id };
  return head.role === "user"
    ? { info: { ...base, role: "user", agent, model: named }, parts }
    : { info: { ...base, ...figures, role: "assistant", parentID, ...named }, parts };
}

/**
 * Builds an id, because parts have none. A call's own id is unique only within its message, as some providers
 * count from 0.
 */
export function buildPartId(messageId: string, part: V2Part, index: number): string {
  return part.type === "tool-call" ? `${messageId}/${part.id}` : `${messageId}/${index}`;
}

type PartFields = Pick<HostPart, "type"> & Readonly<Record<string, unknown>>;

function toPart(part: V2Part, results: ReadonlyMap<string, V2Result>): PartFields {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "reasoning":
      return { type: "reasoning", text: part.text };
    case "tool-call": {
      const { tool, input } = toKernelTool(part.name, part.input);
      return {
        type: "tool",
        tool,
        callID: part.id,
        metadata: part.providerExecuted ? { providerExecuted: true } : {},
        state: toToolState(input, results.get(part.id)),
      };
    }
    default:
      return { type: `v2:${part.type}` };
  }
}

function toToolState(
  input: unknown,
  result: V2Result | undefined,
): CompletedToolState | FailedToolState | { readonly status: "running"; readonly input: unknown } {
  if (!result) return { status: "running", input };
  const text = joinResultText(result);
  if (result.type === "error") return { status: "error", input, error: text };
  return { status: "completed", input, output: text, time: { start: 0, end: 0 } };
}

export function joinResultText({ type, value }: V2Result): string {
  if (typeof value === "string") return value;
  if (type === "content" && Array.isArray(value)) {
    return value.map((part: unknown) => readText(part) ?? "").join("\n");
  }
  return JSON.stringify(value) ?? "";
}

function readText(part: unknown): string | null {
  if (typeof part !== "object" || part === null) return null;
  const text: unknown = Reflect.get(part, "text");
  return typeof text === "string" ? text : null;
}
