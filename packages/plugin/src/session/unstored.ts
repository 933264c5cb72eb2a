import type { Draft } from "../policies/draft.ts";
import type { SessionMessage } from "./history.ts";

/**
 * Of drafts that could not be stored, those that record what the host itself has sent: a reminder,
 * or an instruction in a tool result. They are true all the same, so they wait for the next
 * boundary. A reminder waits once only: a call without it has been sent since.
 */
export function stillToStore(
  waiting: readonly Draft[],
  drafts: readonly Draft[],
): readonly Draft[] {
  const shown = waiting.filter(({ edit }) => edit === null);
  const own = drafts.filter(
    ({ edit, told }) => edit === null || (edit.verb === "insert" && told.length === 0),
  );
  return [...shown, ...own];
}

/** The drafts, behind those that wait, as far as they are not drafted anew and their places stand. */
export function withWaiting(
  waiting: readonly Draft[],
  drafts: readonly Draft[],
  messages: readonly SessionMessage[],
): readonly Draft[] {
  const drafted = new Set(drafts.map(({ anchor }) => placeOf(anchor)));
  const due = waiting.filter(({ anchor }) => {
    const message = messages.find(({ info }) => info.id === anchor.messageId);
    const stands = message?.parts.some(({ id }) => id === anchor.partId) ?? false;
    return stands && !drafted.has(placeOf(anchor));
  });
  return due.length === 0 ? drafts : [...due, ...drafts];
}

function placeOf({ messageId, partId }: Draft["anchor"]): string {
  return `${messageId} ${partId}`;
}
