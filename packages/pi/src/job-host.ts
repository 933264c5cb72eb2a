// Makes the model calls of jobs on Pi, outside of the turns, with the session's own logins and without a session.
import {
  classifyRefusalText,
  type JobHost,
  type Reply,
} from "@session-runtime/opencode/jobs/child-port";
import { findSmallModelByName, parseModelName } from "@session-runtime/opencode/jobs/small-model";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import type { PiAssistant, PiModel, PiModels } from "./pi.ts";

interface JobHostDeps {
  readonly models: () => PiModels;
  /** The model from the settings, as `provider/model`. */
  readonly configured: string | null;
  /** Returns the model of the session's newest call. */
  readonly current: () => PiModel | undefined;
}

export function jobHost({ models, configured, current }: JobHostDeps): JobHost {
  const running = new Map<SessionId, AbortController>();
  let asked = 0;
  return {
    model: async () => configured ?? findSmallModel(models(), current()),
    async open(jobId) {
      asked += 1;
      return `pi-job-${jobId}-${asked}` as SessionId;
    },
    async prompt(childId, { system, prompt, model, maxOutputTokens }) {
      const { providerId, modelId } = parseModelName(model);
      const found = models().find(providerId, modelId);
      if (!found) return { ...NOTHING_USED, kind: "error", code: "refused" };
      const controller = new AbortController();
      running.set(childId, controller);
      try {
        const timestamp = Date.now();
        const messages = [
          { role: "system", content: system, timestamp },
          { role: "user", content: prompt, timestamp },
        ] as const;
        const { signal } = controller;
        const options = { maxTokens: maxOutputTokens, signal };
        return toReply(await models().complete(found, { messages }, options));
      } finally {
        running.delete(childId);
      }
    },
    async abort(childId) {
      running.get(childId)?.abort();
    },
    // A call makes no session of Pi's, so nothing is stored.
    async remove() {
      return;
    },
    async children() {
      return [];
    },
  };
}

const NOTHING_USED = { inputTokens: 0, outputTokens: 0 };

/** Returns null where the provider has no small model, or no call was made yet. */
function findSmallModel(models: PiModels, current: PiModel | undefined): string | null {
  if (!current) return null;
  const { provider: providerId } = current;
  const own = models.getAvailable().filter(({ provider }) => provider === providerId);
  return findSmallModelByName(
    providerId,
    own.map(({ id, cost }) => ({ id, inputUsd: cost.input })),
  );
}

function toReply({ content, usage, stopReason, errorMessage = "" }: PiAssistant): Reply {
  const { input, cacheRead, cacheWrite, output } = usage;
  const used = { inputTokens: input + cacheRead + cacheWrite, outputTokens: output };
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  switch (stopReason) {
    case "stop":
    case "toolUse":
      return { ...used, kind: "text", text, ending: "whole" };
    case "length":
      return { ...used, kind: "text", text, ending: "cut" };
    case "aborted":
      return { ...used, kind: "error", code: "stopped" };
    case "error":
      return { ...used, kind: "error", code: classifyRefusalText(errorMessage) };
  }
}
