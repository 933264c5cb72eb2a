// Decides which of our own tools to withhold where a provider takes fewer tools than a call would offer.
import type { OfferedCall } from "../../feature-api/offered-call.ts";

type OfferedTools = Pick<OfferedCall, "providerId" | "own" | "others">;

/** The limit that a refusal has stated. */
export interface StatedToolLimit {
  /** The number of tools that the provider takes in one call. */
  readonly most: number;
  /** The number of tools that the refused call had beside ours; null where the provider didn't say. */
  readonly others: number | null;
}

interface ToolExcess {
  readonly most: number;
  readonly names: readonly string[];
}

const DEFAULT_MAX_TOOLS = 128;

/** Providers that are known to take no more; others may say so in a refusal. */
const BOUNDED: ReadonlySet<string> = new Set([
  "openai",
  "azure",
  "azure-openai-responses",
  "github-copilot",
  "github-copilot-enterprise",
  "groq",
]);

/** These two find and show what was dropped or folded: they are kept longest, in this order. */
const KEPT_LONGEST: readonly string[] = ["ctx_search", "ctx_expand"];

/**
 * Withholds as many of our tools as are over the limit, whoever the others belong to: the host offers
 * those. Returns null where no limit is known, or no count.
 */
export function findToolExcess(
  { providerId, own, others }: OfferedTools,
  stated: StatedToolLimit | null,
): ToolExcess | null {
  const most = stated?.most ?? (BOUNDED.has(providerId) ? DEFAULT_MAX_TOOLS : null);
  if (most === null || (others === null && stated === null)) return null;
  const beside = others ?? stated?.others ?? null;
  if (beside === null) return { most, names: own };
  const over = Math.max(0, own.length + beside - most);
  return { most, names: leavingFirst(own).slice(0, over) };
}

function leavingFirst(own: readonly string[]): readonly string[] {
  const kept = KEPT_LONGEST.filter((name) => own.includes(name));
  return [...kept, ...own.filter((name) => !KEPT_LONGEST.includes(name))].reverse();
}
