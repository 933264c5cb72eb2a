// Decides which calls may use a provider's instruction role.
import type { CallTarget } from "../../feature-api/feature-hooks.ts";

/** The API whose rules for instructions in mid-conversation apply. */
export type Family = "anthropic" | "openai";

export type LoweringMode = "wrapped" | "native" | "auto";

/**
 * The family whose native instruction role the call may use; null: updates go as text. A provider
 * whose login brings its own fetch is never touched; Gemini, Bedrock, Vertex and gateways have no
 * such role, or none that is known.
 */
export function nativeFamily(mode: LoweringMode, to: CallTarget): Family | null {
  if (mode === "wrapped" || to.fetch === "own") return null;
  switch (to.npm) {
    case "@ai-sdk/anthropic":
      return takesClaudeRole(to.apiId) && isKnown(mode, to, "anthropic") ? "anthropic" : null;
    case "@ai-sdk/openai":
      return takesOpenAiRole(to.apiId) && isKnown(mode, to, "openai") ? "openai" : null;
    case "@ai-sdk/openai-compatible":
      // Many of these want one system message, at the begin: only for who asks for it.
      return mode === "native" ? "openai" : null;
    default:
      return null;
  }
}

const CLAUDE = /^claude-(fable|haiku|mythos|opus|sonnet)-(\d+)(?:[-.](\d{1,2}))?(?=$|[-.@:])/;

/** Opus from 4.8 on, and every family from 5 on. */
function takesClaudeRole(apiId: string): boolean {
  const found = CLAUDE.exec(apiId);
  if (!found) return false;
  const [, name, major, minor] = found;
  return Number(major) >= 5 || (name === "opus" && Number(major) === 4 && Number(minor ?? 0) >= 8);
}

/** The first reasoning models had no instructions at all. */
function takesOpenAiRole(apiId: string): boolean {
  return !/^o1-(?:mini|preview)/.test(apiId);
}

function isKnown(mode: LoweringMode, to: CallTarget, family: Family): boolean {
  if (mode === "native") return true;
  if (to.baseUrl === null || to.baseUrl === "") return to.providerId === family;
  return URL.canParse(to.baseUrl) && new URL(to.baseUrl).hostname === `api.${family}.com`;
}
