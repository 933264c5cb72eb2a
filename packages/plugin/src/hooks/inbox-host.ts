// The host's API for the inbox, through the host's own client.
import type { PluginInput } from "@opencode-ai/plugin";
import {
  type Dispatch,
  type HistoryMessage,
  HostRefusalError,
  type InboxHost,
} from "../feature-api/prompt-host.ts";

type Client = PluginInput["client"];
type PromptBody = NonNullable<NonNullable<Parameters<Client["session"]["promptAsync"]>[0]>["body"]>;

/** Builds the inbox's access to the host over the host's own client. */
export function inboxHost(client: Client): InboxHost {
  return {
    async activity(sessionId) {
      const { data } = await client.session.status({ throwOnError: true });
      return (data[sessionId]?.type ?? "idle") === "idle" ? "idle" : "busy";
    },
    async session(sessionId) {
      const { data, response } = await client.session.get({ path: { id: sessionId } });
      if (data) return { title: data.title, revert: data.revert ? "undone" : "none" };
      if (response?.status === 404) return null;
      throw refusal(`OpenCode could not be asked for session ${sessionId}`, response);
    },
    async history(sessionId, count) {
      const { data, response } = await client.session.messages({
        path: { id: sessionId },
        query: { limit: count },
      });
      if (data) return data as readonly HistoryMessage[];
      // OpenCode 1.18.33 also fails after a structured answer (its issue 26929).
      throw refusal(
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
      throw refusal(`OpenCode could not be asked for message ${messageId}`, response);
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

/** Describes a refusal; without a response the host could not be reached at all. */
function refusal(what: string, response: Response | undefined): HostRefusalError {
  return new HostRefusalError(`${what} (${response ? `HTTP ${response.status}` : "no answer"}).`);
}
