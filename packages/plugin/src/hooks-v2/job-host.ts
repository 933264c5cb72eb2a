// Makes the model calls of jobs on OpenCode 2 with `generate.text`: single calls without a session, which
// store nothing.
import { classifyRefusalText, type JobHost, type Reply } from "../jobs/child-port.ts";
import { parseModelName } from "../jobs/small-model.ts";
import type { SessionId } from "../storage/records.ts";
import type { V2Context } from "./context.ts";

/** A low estimate, and so a safe one for a budget, because the host reports no tokens. */
const BYTES_PER_TOKEN = 3;

type Generate = NonNullable<V2Context["generate"]>;

/**
 * Builds the host for jobs. A call can't be stopped, nor its length limited: the question asks for a length,
 * and an answer that comes after the runner has given up is dropped.
 */
export function createJobHost(generate: Generate, model: JobHost["model"]): JobHost {
  const stops = new Map<SessionId, () => void>();
  let asked = 0;
  return {
    model,
    async open(jobId) {
      asked += 1;
      // OpenCode 1.18 may find the job after a kill and ask its host to delete the session, whose id must
      // have this form.
      return `ses_job_${jobId}_${asked}` as SessionId;
    },
    async prompt(childId, { system, prompt, model: name, maxOutputTokens }) {
      const { providerId: providerID, modelId: id } = parseModelName(name);
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
        return { ...used, kind: "error", code: classifyRefusalText(said) };
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
