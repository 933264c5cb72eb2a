// Classifies why a job's call failed, by the words in which a host reports it.
import type { Reply } from "./job-host.ts";

export type ErrorCode = Extract<Reply, { kind: "error" }>["code"];

/** Classifies the provider's words, or the host's own. */
export function classifyRefusal(message: string): ErrorCode {
  return /\b429\b|too many requests|rate.?limit|quota|usage limit/i.test(message)
    ? "rate_limited"
    : "unavailable";
}

/** Classifies the words of a host that has no codes, and its own name for a wrong request. */
export function classifyRefusalText(message: string): ErrorCode {
  const code = classifyRefusal(message);
  return code === "unavailable" && /\b4\d\d\b|InvalidRequest/.test(message) ? "refused" : code;
}
