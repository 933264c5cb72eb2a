// Implements the host's API for features and the inbox, over the host's own client.
import { homedir } from "node:os";
import type { PluginInput } from "@opencode-ai/plugin";
import { toFields } from "../context/fields.ts";
import type { HostApi } from "../feature-api/feature-context.ts";
import {
  type Dispatch,
  type HistoryMessage,
  HostRefusalError,
  type InboxHost,
} from "../feature-api/prompt.ts";
import { resolveHostOutputPlace } from "../features/tool-output/managed-files.ts";
import { type HostMessage, isText, type TextPart } from "../ledger/message.ts";
import type { SessionId } from "../storage/records.ts";
import type { HostConfig } from "./host-config.ts";

// Marks which words of a command's message the user typed, its arguments. The host stores the mark with the part.

/**
 * Names the mark in a part's metadata, which the host keeps, copies into forks and never sends for a user's
 * text.
 */
const TYPED_TEXT_KEY = "session-runtime";

interface GivenPart {
  readonly type: string;
  metadata?: Record<string, unknown>;
}

/** Marks the parts. @param parts a command's live parts, each of which gets its mark */
export function markTyped(parts: readonly GivenPart[], args: string): void {
  for (const part of parts) {
    if (part.type !== "text") continue;
    part.metadata = { ...part.metadata, [TYPED_TEXT_KEY]: { typed: args } };
  }
}

/** Returns a command's message with the words that were typed; any other message is returned unchanged. */
export function restoreTyped<Message extends HostMessage>(message: Message): Message {
  const typed = message.parts.map(findTypedText).find((words) => words !== null) ?? null;
  if (typed === null || message.info.role !== "user") return message;
  const first = message.parts.find(isText);
  // Other plugins may have added texts to the template's, and the user typed none of those.
  const parts = message.parts.map((part) =>
    isText(part) ? ({ ...part, typed: part === first ? typed : "" } satisfies TextPart) : part,
  );
  return { ...message, parts };
}

function findTypedText(part: HostMessage["parts"][number]): string | null {
  if (!isText(part)) return null;
  const { typed } = toFields(toFields(part.metadata)[TYPED_TEXT_KEY]);
  return typeof typed === "string" ? typed : null;
}

// The host's API for the inbox, through the host's own client.

type Client = PluginInput["client"];
type PromptBody = NonNullable<NonNullable<Parameters<Client["session"]["promptAsync"]>[0]>["body"]>;

/** Builds the inbox's access to the host over the host's own client. */
function createInboxHost(client: Client): InboxHost {
  return {
    async activity(sessionId) {
      const { data } = await client.session.status({ throwOnError: true });
      return (data[sessionId]?.type ?? "idle") === "idle" ? "idle" : "busy";
    },
    async session(sessionId) {
      const { data, response } = await client.session.get({ path: { id: sessionId } });
      if (data) return { title: data.title, revert: data.revert ? "undone" : "none" };
      if (response?.status === 404) return null;
      throw toRefusalError(`OpenCode could not be asked for session ${sessionId}`, response);
    },
    async history(sessionId, count) {
      const { data, response } = await client.session.messages({
        path: { id: sessionId },
        query: { limit: count },
      });
      if (data) return data as readonly HistoryMessage[];
      // OpenCode 1.18.33 also fails after a structured answer (its issue 26929).
      throw toRefusalError(
        `OpenCode can't list the messages of session ${sessionId}, so Session Runtime can't see which of its prompts are answered`,
        response,
      );
    },
    async message(sessionId, messageId) {
      const { data, response } = await client.session.message({
        path: { id: sessionId, messageID: messageId },
      });
      if (data) return { info: { ...data.info }, partIds: data.parts.map(({ id }) => id) };
      if (response?.status === 404) return null;
      throw toRefusalError(`OpenCode could not be asked for message ${messageId}`, response);
    },
    async send(dispatch) {
      const { sessionId, reply } = dispatch;
      const request = { path: { id: sessionId }, body: toPromptBody(dispatch), throwOnError: true };
      if (reply === "none") await client.session.prompt(request);
      else await client.session.promptAsync(request);
    },
    async abort(sessionId) {
      await client.session.abort({ path: { id: sessionId }, throwOnError: true });
    },
  };
}

/** Builds the request. The host accepts variant and format here; its first SDK's types lack them. */
function toPromptBody({ messageId, prompt, reply }: Dispatch): PromptBody {
  const { parts, agent, model, variant, system, format } = prompt;
  const body = {
    messageID: messageId,
    parts: parts as PromptBody["parts"],
    ...(reply === "none" && { noReply: true }),
    ...(agent !== null && { agent }),
    ...(model !== null && { model }),
    ...(variant !== null && { variant }),
    ...(system !== null && { system }),
    ...(format !== null && format !== undefined && { format }),
  };
  return body;
}

/** Describes a refusal; if there is no response, the host could not be reached at all. */
function toRefusalError(what: string, response: Response | undefined): HostRefusalError {
  return new HostRefusalError(`${what} (${response ? `HTTP ${response.status}` : "no answer"}).`);
}

export function createHostApi(client: PluginInput["client"], hostConfig: HostConfig): HostApi {
  return {
    async messages(sessionId, { count, timeoutMs }) {
      const { data } = await client.session.messages({
        path: { id: sessionId },
        query: { limit: count },
        signal: AbortSignal.timeout(timeoutMs),
        throwOnError: true,
      });
      return data.map(restoreTyped);
    },
    async parent(sessionId, { timeoutMs }) {
      const { data } = await client.session.get({
        path: { id: sessionId },
        signal: AbortSignal.timeout(timeoutMs),
        throwOnError: true,
      });
      return data.parentID === undefined ? null : (data.parentID as SessionId);
    },
    async todos(sessionId, { timeoutMs }) {
      const { data } = await client.session.todo({
        path: { id: sessionId },
        signal: AbortSignal.timeout(timeoutMs),
        throwOnError: true,
      });
      return data;
    },
    async rules(sessionId, agent, { timeoutMs }) {
      const asked = { signal: AbortSignal.timeout(timeoutMs), throwOnError: true } as const;
      const [agents, session] = await Promise.all([
        client.app.agents(asked),
        client.session.get({ path: { id: sessionId }, ...asked }),
      ]);
      const own = agents.data.find(({ name }) => name === agent);
      if (!own) throw new Error(`OpenCode lists no agent ${agent}.`);
      return [own, session.data].flatMap(listPermissions);
    },
    async publish(command) {
      const body = { type: "tui.command.execute", properties: { command } } as const;
      await client.tui.publish({ body, throwOnError: true });
    },
    prompts: createInboxHost(client),
    outputLimits: () => hostConfig.outputLimits(),
    outputPlace: resolveHostOutputPlace(process.env, homedir()),
    sendPrompt: null,
  };
}

/**
 * Lists permissions. The host's older types give them another shape; the actual value is a list (OpenCode
 * 1.18.33).
 */
function listPermissions(of: object): readonly unknown[] {
  const rules: unknown = Reflect.get(of, "permission");
  return rules === undefined ? [] : [rules].flat();
}
