// Translates Pi's messages into the kernel's rows: an entry is a row, a block a part, and a call holds its result.
import type {
  FilePart,
  HostPart,
  TextPart,
  ToolPart,
} from "@session-runtime/opencode/ledger/message";
import type {
  AssistantInfo,
  SessionMessage,
  UserInfo,
} from "@session-runtime/opencode/session/history";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { joinText, toContent, toContentBlocks } from "./content.ts";
import type { KnownRows } from "./known-rows.ts";
import type {
  PiAssistant,
  PiContext,
  PiEntry,
  PiMessage,
  PiOther,
  PiSystem,
  PiToolCall,
  PiToolResult,
  PiUser,
} from "./pi.ts";
import { isSameData } from "./same-data.ts";
import { kernelTool } from "./tool-names.ts";

/** Groups a row with the messages that it represents, or holds a system message between rows. */
export type RowGroup =
  | { readonly kind: "row"; readonly row: SessionMessage; readonly messages: readonly PiMessage[] }
  | { readonly kind: "system"; readonly message: PiSystem };

export interface Reader {
  readonly sessionId: SessionId;
  /** The model that the call goes to. */
  readonly model: { readonly provider: string; readonly id: string };
  readonly known: KnownRows;
}

/** Names Pi's only agent. */
export const AGENT = "pi";

interface NamedMessage<M extends PiMessage> {
  readonly id: string;
  readonly message: M;
}

interface PlacedMessage<M extends PiMessage> extends NamedMessage<M> {
  /** Pi's own object of the message; null where another extension has changed it. */
  readonly own: PiMessage | null;
}

/** Returns null where the messages don't match the entries, or a result has no call. */
export function groupMessages(
  entries: readonly PiEntry[],
  messages: readonly PiMessage[],
  reader: Reader,
): readonly RowGroup[] | null {
  const placed = placeMessages(entries, messages);
  return placed && new GroupingState(reader).groups(placed);
}

/** Returns the current branch's rows outside of a call; null where they can't be paired. */
export function readCurrentRows(
  { sessionManager }: Pick<PiContext, "sessionManager">,
  reader: Reader,
): readonly SessionMessage[] | null {
  const { entries } = sessionManager.buildSessionProjection();
  const groups = groupMessages(entries, ownMessages(entries), reader);
  return groups?.flatMap((group) => (group.kind === "row" ? [group.row] : [])) ?? null;
}

export function ownMessages(entries: readonly PiEntry[]): readonly PiMessage[] {
  return entries.flatMap(({ messages }) => messages);
}

function placeMessages(
  entries: readonly PiEntry[],
  messages: readonly PiMessage[],
): readonly PlacedMessage<PiMessage>[] | null {
  const made = entries.flatMap(({ sourceEntry, messages: own }) =>
    own.map((message, at) => ({
      id: at === 0 ? sourceEntry.id : `${sourceEntry.id}.${at}`,
      message,
    })),
  );
  const isOfThem =
    made.length === messages.length &&
    made.every(({ message }, at) => {
      const sent = messages[at];
      return message.role === sent?.role && message.timestamp === sent.timestamp;
    });
  if (!isOfThem) return null;
  return messages.map((message, at) => {
    const { id = "", message: own = null } = made[at] ?? {};
    return { id, message, own: isSameData(own, message) ? own : null };
  });
}

class GroupingState {
  #prompt = "";

  constructor(private readonly reader: Reader) {
    reader.known.use(`${reader.model.provider}/${reader.model.id}`);
  }

  groups(placed: readonly PlacedMessage<PiMessage>[]): readonly RowGroup[] | null {
    const groups: RowGroup[] = [];
    for (let at = 0; at < placed.length; at += 1) {
      const { id = "", message, own = null } = placed[at] ?? {};
      if (message === undefined) return null;
      switch (message.role) {
        case "system":
          groups.push({ kind: "system", message });
          break;
        case "assistant": {
          const results = resultsAfter(placed, at);
          if (!results.every((result) => asks(message, result))) return null;
          const run = placed.slice(at, at + results.length + 1);
          const row = this.#known(run, () => this.#answer({ id, message }, results));
          groups.push({ kind: "row", row, messages: [message, ...results] });
          at += results.length;
          break;
        }
        case "toolResult":
          return null;
        case "compactionSummary":
          groups.push(...this.#compaction(id, message));
          break;
        case "user":
        case "custom":
        case "bashExecution":
        case "branchSummary": {
          const row = this.#known([{ id, message, own }], () => this.#prompted({ id, message }));
          this.#prompt = id;
          groups.push({ kind: "row", row, messages: [message] });
          break;
        }
      }
    }
    return groups;
  }

  /** Returns the cached row for a run of messages that make one row. */
  #known(run: readonly PlacedMessage<PiMessage>[], build: () => SessionMessage): SessionMessage {
    const own = run.flatMap((one) => one.own ?? []);
    const [first] = run;
    if (!first || own.length < run.length) return build();
    return this.reader.known.row({ id: first.id, promptId: this.#prompt, own }, build);
  }

  #base(id: string) {
    return { id, sessionID: this.reader.sessionId };
  }

  #user(id: string, timestamp: number): UserInfo {
    const { provider, id: model } = this.reader.model;
    return {
      ...this.#base(id),
      role: "user",
      agent: AGENT,
      model: { providerID: provider, modelID: model },
      time: { created: timestamp },
    };
  }

  #part(messageId: string, at: number) {
    return { id: partId(messageId, at), messageID: messageId, sessionID: this.reader.sessionId };
  }

  #prompted({ id, message }: NamedMessage<PiUser | PiOther>): SessionMessage {
    const isLeftOut = message.role === "bashExecution" && message.excludeFromContext === true;
    const marks = message.role === "user" ? {} : { typed: "", ignored: isLeftOut };
    const parts = toContentBlocks(toContent(message)).map((block, at): TextPart | FilePart => {
      const part = this.#part(id, at);
      if (block.type === "text") return { ...part, type: "text", text: block.text, ...marks };
      const url = `data:${block.mimeType};base64,${block.data}`;
      return { ...part, type: "file", mime: block.mimeType, url };
    });
    return { info: this.#user(id, message.timestamp), parts };
  }

  /**
   * Builds the rows of a finished compaction as the kernel knows one: a row that asks for it, and the summary.
   */
  #compaction(id: string, message: PiOther & { readonly role: "compactionSummary" }): RowGroup[] {
    const asked = { ...this.#part(id, 0), type: "compaction" };
    const user = { info: this.#user(id, message.timestamp), parts: [asked] };
    this.#prompt = id;
    const summaryId = `${id}.summary`;
    const text: TextPart = { ...this.#part(summaryId, 0), type: "text", text: message.summary };
    const info = {
      ...this.#answerInfo(summaryId, message.timestamp),
      summary: true,
      finish: "stop",
    };
    return [
      { kind: "row", row: user, messages: [message] },
      { kind: "row", row: { info, parts: [text] }, messages: [] },
    ];
  }

  #answerInfo(id: string, timestamp: number): AssistantInfo {
    const { provider, id: model } = this.reader.model;
    return {
      ...this.#base(id),
      role: "assistant",
      parentID: this.#prompt,
      providerID: provider,
      modelID: model,
      time: { created: timestamp, completed: timestamp },
    };
  }

  #answer(
    { id, message }: NamedMessage<PiAssistant>,
    results: readonly PiToolResult[],
  ): SessionMessage {
    const { stopReason, timestamp, provider, model, errorMessage, usage } = message;
    const cache = { read: usage.cacheRead, write: usage.cacheWrite };
    const hasFailed = stopReason === "error" || stopReason === "aborted";
    const info = {
      ...this.#answerInfo(id, timestamp),
      providerID: provider,
      modelID: model,
      finish: stopReason === "toolUse" ? "tool-calls" : stopReason,
      ...(hasFailed ? { error: { name: stopReason, message: errorMessage } } : {}),
      tokens: { input: usage.input, output: usage.output, cache },
    };
    const parts = message.content.map((block, at): HostPart => {
      const part = this.#part(id, at);
      switch (block.type) {
        case "text":
          return { ...part, type: "text", text: block.text } as TextPart;
        case "thinking":
          return { ...part, type: "reasoning", text: block.thinking } as HostPart;
        case "toolCall":
          return toolPart(part, block, results);
        default:
          return { ...part, type: "unknown" };
      }
    });
    return { info, parts };
  }
}

export function partId(messageId: string, at: number): string {
  return `${messageId}#${at}`;
}

function resultsAfter(
  placed: readonly PlacedMessage<PiMessage>[],
  at: number,
): readonly PiToolResult[] {
  const results: PiToolResult[] = [];
  for (let next = at + 1; next < placed.length; next += 1) {
    const message = placed[next]?.message;
    if (message?.role !== "toolResult") break;
    results.push(message);
  }
  return results;
}

function asks({ content }: PiAssistant, { toolCallId }: PiToolResult): boolean {
  return content.some((block) => block.type === "toolCall" && block.id === toolCallId);
}

function toolPart(
  part: Omit<HostPart, "type">,
  call: PiToolCall,
  results: readonly PiToolResult[],
): ToolPart {
  const { tool, input } = kernelTool(call.name, call.arguments);
  const base = { ...part, type: "tool", tool, callID: call.id } as const;
  const result = results.find(({ toolCallId }) => toolCallId === call.id);
  if (!result) return { ...base, state: { status: "pending", input } };
  const text = joinText(result.content);
  if (result.isError) return { ...base, state: { status: "error", input, error: text } };
  const time = { start: result.timestamp, end: result.timestamp };
  const images = result.content.filter(({ type }) => type === "image");
  const attachments = images.length === 0 ? {} : { attachments: images };
  return { ...base, state: { status: "completed", input, output: text, time, ...attachments } };
}
