import type { PanelStatus } from "../status/panel.ts";
import { count } from "../status/wording.ts";

export interface Toast {
  readonly message: string;
  readonly variant: "info" | "warning";
}

/**
 * What the user must know at once of a change that nobody else tells. The server's plugin shows its
 * own notices; that a cache was lost is learned only when the provider's figures come.
 */
export function toastsFor(former: PanelStatus | null, current: PanelStatus): readonly Toast[] {
  const bust = current.cache.lastBust;
  if (former?.sessionId !== current.sessionId || !bust) return [];
  const isKnown =
    former.cache.lastBust?.sentAtMs === bust.sentAtMs &&
    former.cache.lastBust.confirmation === bust.confirmation;
  if (isKnown || bust.confirmation !== "confirmed" || bust.nature === "expected") return [];
  const billed =
    bust.billedTokens === null ? "" : ` ${count(bust.billedTokens)} tokens were billed anew.`;
  return [{ variant: "warning", message: `The prompt cache was lost: ${bust.cause}.${billed}` }];
}
