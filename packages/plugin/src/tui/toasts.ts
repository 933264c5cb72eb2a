// Decides which changes the user must see at once.
import type { PanelStatus } from "../status/panel.ts";
import { formatCount, renderCount } from "../status/wording.ts";

interface Toast {
  readonly message: string;
  readonly variant: "info" | "warning";
}

/** What a terminal UI knew before a status came. */
interface PreviousStatus {
  /** The status before; null if the current one is the first that the server has reported. */
  readonly former: PanelStatus | null;
  /** The texts that were shown here as toasts, whoever published them. */
  readonly shown: ReadonlySet<string>;
}

/** Lists toasts for what the user must know at once and nobody else has shown here. */
export function listToasts(
  { former, shown }: PreviousStatus,
  current: PanelStatus,
): readonly Toast[] {
  if (current.toasts === "silent") return [];
  const notice = findUnseenNotice({ former, shown }, current);
  // The host shows one toast at a time, and the panel shows the warnings too.
  if (notice !== null) return [{ variant: "warning", message: notice }];
  if (former === null) return listMissedWarningToasts(current, shown);
  return former.sessionId === current.sessionId ? listLostCacheToasts(former, current) : [];
}

/**
 * Returns the notice each time that the session is opened; while the session is on screen, returns only a new
 * notice that nobody else has shown.
 */
function findUnseenNotice(
  { former, shown }: PreviousStatus,
  { sessionId, notice }: PanelStatus,
): string | null {
  if (former?.sessionId !== sessionId) return notice;
  return notice === null || notice === former.notice || shown.has(notice) ? null : notice;
}

/**
 * Lists warnings that were missed: the server's notices come when they arise, and at its start no terminal UI
 * shows them.
 */
function listMissedWarningToasts(
  { warnings }: PanelStatus,
  shown: ReadonlySet<string>,
): readonly Toast[] {
  const missed = warnings
    .filter(({ severity }) => severity !== "info")
    .map(({ message, remedy }) => `${message} ${remedy}`)
    .filter((text) => !shown.has(text));
  const [first, ...others] = missed;
  if (first === undefined) return [];
  const message =
    others.length === 0
      ? first
      : `${renderCount(missed.length, "warning")}: /ctx-status shows them.`;
  return [{ variant: "warning", message }];
}

/** Reports a lost cache, which is known only when the provider's figures come. */
function listLostCacheToasts(former: PanelStatus, current: PanelStatus): readonly Toast[] {
  const bust = current.cache.lastBust;
  if (bust?.confirmation !== "confirmed" || bust.nature === "expected") return [];
  const before = former.cache.lastBust;
  const isShown = before?.sentAtMs === bust.sentAtMs && before.confirmation === "confirmed";
  if (isShown) return [];
  const billed =
    bust.billedTokens === null
      ? ""
      : ` ${formatCount(bust.billedTokens)} tokens were billed again.`;
  return [{ variant: "warning", message: `The prompt cache was lost: ${bust.cause}.${billed}` }];
}
