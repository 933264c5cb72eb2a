// The host's API for jobs, through the host's own client.
import type { PluginInput } from "@opencode-ai/plugin";
import { BoundedMap } from "../context/bounded-map.ts";
import { classifyRefusal, type ErrorCode, type JobHost, type Reply } from "../jobs/child-port.ts";
import {
  type JobSessions,
  parseJobTitle,
  renderJobTitle,
  TITLE_PREFIX,
} from "../jobs/job-sessions.ts";
import { findSmallModel, type ListedModel, parseModelName } from "../jobs/small-model.ts";
import type { SessionId } from "../storage/records.ts";
import type { HostConfig } from "./host-config.ts";
import { JOB_AGENT } from "./host-names.ts";

// Chooses the model for jobs: the configured one, or the host's small one.

/** The most sessions whose provider is remembered. */
const MAX_SESSIONS = 256;

export class JobModel {
  readonly #providers = new BoundedMap<string, string>(MAX_SESSIONS);
  #newest: string | null = null;

  constructor(
    private readonly deps: {
      readonly client: PluginInput["client"];
      readonly hostConfig: HostConfig;
      /** The model from our own config, as `provider/model`. */
      readonly configured: string | null;
    },
  ) {}

  /** Records a turn's provider, from which the small model is chosen. */
  recordProvider(sessionId: string, providerId: string): void {
    this.#newest = providerId;
    this.#providers.set(sessionId, providerId);
  }

  /** Returns the model as `provider/model`; null if there is none. */
  async choose(sessionId: SessionId | null): Promise<string | null> {
    const { configured, hostConfig, client } = this.deps;
    if (configured !== null) return configured;
    const named = hostConfig.readModels();
    if (named.small !== null) return named.small;
    const providerId =
      this.#providers.get(sessionId ?? "") ?? this.#newest ?? named.main?.split("/")[0];
    if (providerId === undefined) return null;
    const { data } = await client.config.providers({ throwOnError: true });
    const provider = data.providers.find(({ id }) => id === providerId);
    // The host's catalogue describes more of a model than its first SDK's types.
    const models: readonly ListedModel[] = Object.values(provider?.models ?? {});
    return findSmallModel(providerId, models);
  }
}

type Client = PluginInput["client"];

/** The host's answer to a prompt. */
type PromptResponse = NonNullable<Awaited<ReturnType<Client["session"]["prompt"]>>["data"]>;

export function createJobHost(client: Client, sessions: JobSessions, models: JobModel): JobHost {
  return {
    model: (sessionId) => models.choose(sessionId),
    async open(jobId, parent) {
      const mark = crypto.randomUUID().slice(0, 8);
      const body = {
        title: renderJobTitle(jobId, mark),
        ...(parent !== null && { parentID: parent }),
      };
      const { data } = await client.session.create({ body, throwOnError: true });
      return data.id as SessionId;
    },
    async prompt(childId, { system, prompt, model, maxOutputTokens }) {
      sessions.beginCall(childId, { system, prompt, maxOutputTokens });
      try {
        const { providerId: providerID, modelId: modelID } = parseModelName(model);
        const { data, response } = await client.session.prompt({
          path: { id: childId },
          body: {
            agent: JOB_AGENT,
            model: { providerID, modelID },
            parts: [{ type: "text", text: prompt }],
          },
        });
        const retry = sessions.findRetry(childId);
        if (!data) {
          const code = retry === null ? classifyStatus(response?.status) : classifyRefusal(retry);
          return { kind: "error", code, inputTokens: 0, outputTokens: 0 };
        }
        return toReply(data, retry, sessions.isUnfinished(childId) ? "unfinished" : "ended");
      } finally {
        sessions.endCall(childId);
      }
    },
    async abort(childId) {
      await client.session.abort({ path: { id: childId } });
    },
    async remove(childId) {
      const { error, response } = await client.session.delete({ path: { id: childId } });
      if (error !== undefined && response?.status !== 404) {
        throw new Error(`OpenCode kept a job's session (HTTP ${response?.status ?? "none"})`);
      }
    },
    async children() {
      // The host can search titles; the types of its first SDK lack that option.
      const query: object = { search: TITLE_PREFIX, limit: MAX_LEFTOVER_SESSIONS };
      const { data } = await client.session.list({ query, throwOnError: true });
      return data.flatMap(({ id, title }) => {
        const jobId = parseJobTitle(title);
        return jobId === null ? [] : [{ childId: id as SessionId, jobId }];
      });
    },
  };
}

/** The most leftover sessions per check: a kill leaves one, and the next check finds more. */
const MAX_LEFTOVER_SESSIONS = 100;

function toReply(
  { info, parts }: PromptResponse,
  retry: string | null,
  answer: "ended" | "unfinished",
): Reply {
  const { input, output, reasoning, cache } = info.tokens;
  const used = {
    inputTokens: input + cache.read + cache.write,
    outputTokens: output + reasoning,
  };
  if (info.error?.name === "MessageOutputLengthError") {
    return { kind: "text", text: joinText(parts), ending: "cut", ...used };
  }
  // If the call was stopped before the host's retry, the message may have no error.
  if (retry !== null) return { kind: "error", code: classifyRefusal(retry), ...used };
  // A model that calls a tool has answered badly; that we then stopped the host says nothing about it.
  if (answer === "unfinished") return { kind: "text", text: "", ending: "whole", ...used };
  if (info.error) return { kind: "error", code: toErrorCode(info.error), ...used };
  const ending = info.finish === "length" ? "cut" : "whole";
  return { kind: "text", text: joinText(parts), ending, ...used };
}

function joinText(parts: PromptResponse["parts"]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

function toErrorCode(error: NonNullable<PromptResponse["info"]["error"]>): ErrorCode {
  if (error.name === "MessageAbortedError") return "stopped";
  if (error.name !== "APIError") return error.name === "UnknownError" ? "unavailable" : "refused";
  const status = error.data?.statusCode ?? Number.NaN;
  return status === 429 ? "rate_limited" : status >= 500 ? "unavailable" : "refused";
}

/** Classifies a status; a session that no longer exists was deleted by its user. */
function classifyStatus(status: number | undefined): ErrorCode {
  return status === 404 ? "stopped" : "unavailable";
}
