import { applyDelta, type Snapshot } from "../context/snapshot.ts";
import type { Draft } from "../policies/draft.ts";
import type { HostMessage } from "../projection/message.ts";
import type { EntryRecord } from "../storage/records.ts";
import type { Former } from "./pass.ts";
import { lastTexts, type SessionView } from "./view.ts";

/** What the host itself has shown in an epoch and could not be stored: reminders, and instructions in results. */
export interface Unstored {
  readonly epochSeq: number;
  readonly drafts: readonly Draft[];
}

/**
 * Of drafts that could not be stored, those of what the host has sent all the same; updates are
 * drafted anew. A reminder waits for one boundary only: then a call without it has been sent.
 */
export function stillToStore(
  before: Unstored | null,
  epochSeq: number,
  drafts: readonly Draft[],
): Unstored {
  const shown = before?.epochSeq === epochSeq ? before.drafts.filter(isWitness) : [];
  const own = drafts.filter((draft) => isWitness(draft) || isReminder(draft));
  return { epochSeq, drafts: [...shown, ...own] };
}

/** Where another process came first: without what that one has put on record. */
export function notOnRecord(waiting: Unstored, entries: readonly EntryRecord[]): Unstored {
  const known = new Set(entries.map((entry) => `${placeOf(entry)} ${JSON.stringify(entry.edit)}`));
  const isOpen = ({ anchor, edit }: Draft) =>
    !known.has(`${placeOf(anchor)} ${JSON.stringify(edit)}`);
  return { ...waiting, drafts: waiting.drafts.filter(isOpen) };
}

function isWitness({ edit }: Draft): boolean {
  return edit === null;
}

function isReminder({ edit, told }: Draft): boolean {
  return edit?.verb === "insert" && told.length === 0;
}

/** The drafts, behind those that wait in this epoch, as far as they are not drafted anew and their places stand. */
export function withWaiting(
  waiting: Unstored | null,
  epochSeq: number,
  drafts: readonly Draft[],
  messages: readonly HostMessage[],
): readonly Draft[] {
  if (waiting?.epochSeq !== epochSeq) return drafts;
  const drafted = new Set(drafts.map(({ anchor }) => placeOf(anchor)));
  const due = waiting.drafts.filter(({ anchor }) => {
    const message = messages.find(({ info }) => info.id === anchor.messageId);
    const stands = message?.parts.some(({ id }) => id === anchor.partId) ?? false;
    return stands && !drafted.has(placeOf(anchor));
  });
  return due.length === 0 ? drafts : [...due, ...drafts];
}

/** What the model had been told when an epoch ends. */
export function formerOf(view: SessionView, unstored: Unstored | null): Former {
  const shown = leaving(view, unstored);
  return {
    epoch: view.epoch,
    snapshot: toldBefore(view, unstored),
    texts: new Map([
      ...lastTexts(view),
      ...shown.flatMap(({ told }) => told.map(({ key, text }) => [key, text] as const)),
    ]),
  };
}

/** What the model has been told up to this boundary. */
export function toldBefore(view: SessionView, unstored: Unstored | null): Snapshot {
  const shown = leaving(view, unstored);
  return shown.reduce((before, { delta }) => applyDelta(before, delta), view.snapshot);
}

/**
 * With a compaction the results that showed an instruction leave the history, and what could not be
 * stored of them would be forgotten.
 */
function leaving({ epoch, opening }: SessionView, unstored: Unstored | null): readonly Draft[] {
  if (opening !== "compacted" || unstored?.epochSeq !== epoch?.seq) return [];
  return unstored?.drafts.filter(isWitness) ?? [];
}

function placeOf({ messageId, partId }: Draft["anchor"]): string {
  return `${messageId} ${partId}`;
}
