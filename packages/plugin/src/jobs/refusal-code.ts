// Why a job's call failed, read off the words in which a host says so.
import type { Reply } from "./job-host.ts";

export type ErrorCode = Extract<Reply, { kind: "error" }>["code"];

/** A host says why a call failed in the provider's words, or in its own. */
export function codeOfWords(message: string): ErrorCode {
  return /\b429\b|too many requests|rate.?limit|quota|usage limit/i.test(message)
    ? "rate_limited"
    : "unavailable";
}

/** Of a host that gives words alone, and its own name for what it takes for wrong. */
export function codeOfWordsAlone(message: string): ErrorCode {
  const code = codeOfWords(message);
  return code === "unavailable" && /\b4\d\d\b|InvalidRequest/.test(message) ? "refused" : code;
}
