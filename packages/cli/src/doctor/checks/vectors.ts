// Checks that search by meaning works, where it is configured.
import type { EmbeddingFault } from "@session-runtime/opencode/features/search/embedding-answer";
import { describeFault } from "@session-runtime/opencode/features/search/embedding-caller";
import type { VectorsFacts } from "../facts/vectors.ts";
import { type Check, type Finding, found, passed } from "../finding.ts";

export const vectorsAnswer: Check = {
  id: "vectors-answer",
  title: "The endpoint for embeddings answers",
  answeredBy: ["disabled-by-setting"],
  run: ({ vectors }) => {
    if (vectors.kind === "none") return passed("none is set; texts are found by their words");
    const finding = checkVectors(vectors);
    return finding === null ? passed(`${vectors.model} at ${vectors.host}`) : found(finding);
  },
};

const BY_WORDS = "texts are found by their words alone";

function checkVectors({
  host,
  model,
  unsetVariable,
  answer,
}: Extract<VectorsFacts, { kind: "set" }>): Finding | null {
  if (model === "") {
    return warning(
      "vectors-no-model",
      `vectors.url is set and vectors.model is not: ${BY_WORDS}.`,
      "A request for embeddings must name its model.",
      "Set vectors.model to a model for embeddings that the endpoint has, or remove vectors.url.",
    );
  }
  if (unsetVariable !== null) {
    return warning(
      "vectors-no-key",
      `The endpoint for embeddings at ${host} gets no key.`,
      `vectors.apiKeyEnv names ${unsetVariable}, which is not set in this environment.`,
      `Set ${unsetVariable} where OpenCode is started, or correct vectors.apiKeyEnv; "" means that the endpoint needs no key.`,
    );
  }
  if (answer?.kind !== "fault") return null;
  return warning(
    "vectors-no-answer",
    `The endpoint for embeddings at ${host} can't be used now: ${BY_WORDS}.`,
    `It ${describeFault(answer.fault, model)}.`,
    describeFix(answer.fault),
  );
}

function describeFix(fault: EmbeddingFault): string {
  switch (fault.kind) {
    case "unreachable":
    case "timeout":
      return "Start it, or correct vectors.url. Sessions continue meanwhile.";
    case "busy":
      return "Wait until it has recovered. Sessions continue meanwhile.";
    case "refused":
      return fault.status === 401 || fault.status === 403
        ? "Correct the key in the variable that vectors.apiKeyEnv names."
        : "Correct vectors.url, which ends with /v1 as a rule, and vectors.model.";
    case "malformed":
    case "model":
    case "dimensions":
      return "Correct vectors.model, or vectors.url: it must be an endpoint for embeddings like OpenAI's.";
  }
}

function warning(code: string, what: string, cause: string, fix: string): Finding {
  return { code, severity: "warning", what, cause, fix };
}
