// Model calls of jobs on OpenCode 2: `generate.text`, one call without a session, of which nothing stays.
import type { JobHost, Reply } from "../jobs/job-host.ts";
import { codeOfWordsAlone } from "../jobs/refusal-code.ts";
import { modelNamed } from "../jobs/small-model.ts";
import type { SessionId } from "../storage/records.ts";
import type { V2Context } from "./context.ts";

/** The host says nothing of tokens: an estimate, on the safe side of what a budget allows. */
const BYTES_PER_TOKEN = 3;

type Generate = NonNullable<V2Context["generate"]>;

/**
 * A call can't be stopped there, nor its length be set: the question asks for it, and what comes after the
 * runner has given up is thrown away.
 */
export function jobHost(generate: Generate, model: JobHost["model"]): JobHost {
  const stops = new Map<SessionId, () => void>();
  let asked = 0;
  return {
    model,
    async open(jobId) {
      asked += 1;
      // A 1.18 that finds it after a kill asks its host to delete it, which takes no other form for an id.
      return `ses_job_${jobId}_${asked}` as SessionId;
    },
    async prompt(childId, { system, prompt, model: name, maxOutputTokens }) {
      const { providerId: providerID, modelId: id } = modelNamed(name);
      const question = `${system}\n\n${prompt}\n\nAnswer in at most ${maxOutputTokens} tokens.`;
      const used = { inputTokens: estimateReplyTokens(question), outputTokens: 0 };
      const stopped = Promise.withResolvers<Reply>();
      stops.set(childId, () => stopped.resolve({ ...used, kind: "error", code: "stopped" }));
      const answered = generate.text({
        prompt: question,
        model: { providerID, id },
      });
      try {
        return await Promise.race([
          stopped.promise,
          answered.then((answer) => toReply(answer, used)),
        ]);
      } catch (error) {
        const said = error instanceof Error ? `${error.name} ${error.message}` : "";
        return { ...used, kind: "error", code: codeOfWordsAlone(said) };
      } finally {
        stops.delete(childId);
      }
    },
    async abort(childId) {
      stops.get(childId)?.();
    },
    async remove() {
      return;
    },
    async children() {
      return [];
    },
  };
}

function toReply(
  { text }: { readonly text: string },
  used: { readonly inputTokens: number },
): Reply {
  return { ...used, outputTokens: estimateReplyTokens(text), kind: "text", text, ending: "whole" };
}

function estimateReplyTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}
