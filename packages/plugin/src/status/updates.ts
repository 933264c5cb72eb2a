// The updates that the model received, for status.
import type { EntryOverview, FormOverview } from "../storage/overview-records.ts";
import { type ActiveLedger, type EntryState, entryStatus } from "./active-ledger.ts";
import { type TextSize, textSize } from "./text-size.ts";

/** A Mid-Conversation System Message; its size is that of the text as sent. */
export interface UpdateStatus extends TextSize {
  readonly atMs: number;
  readonly keys: readonly string[];
  readonly state: EntryState;
}

/** In which form a model was sent updates of the current epoch; the rest of them went as text. */
export interface FormStatus {
  /** `provider/model` */
  readonly model: string;
  /** In the provider's own instruction role. */
  readonly native: number;
  /** Sent, or tried, in that role first, and as text since. */
  readonly fellBack: number;
}

/** By model, as far as any update was asked of it in its own role. */
export function readForms(
  entries: readonly EntryOverview[],
  forms: readonly FormOverview[],
): readonly FormStatus[] {
  const current = new Set(entries.map(({ seq }) => seq));
  const ofEpoch = forms.filter(({ entrySeq }) => current.has(entrySeq));
  const models = [...new Set(ofEpoch.map(({ model }) => model))].sort();
  return models.map((model) => {
    const native = ofEpoch.filter((one) => one.model === model && one.form === "native").length;
    const all = ofEpoch.filter((one) => one.model === model).length;
    return { model, native, fellBack: all - native };
  });
}

/** Of those that are sent now. */
export function sentTokens(updates: readonly UpdateStatus[]): number {
  const sent = updates.filter(({ state }) => state !== "withdrawn");
  return sent.reduce((sum, { approxTokens }) => sum + approxTokens, 0);
}

/** What the folded history takes that is sent now. */
export function foldedTokens(
  entries: readonly EntryOverview[],
  shown: ActiveLedger | null,
): number {
  return entries.reduce((sum, entry) => {
    const isSent = entry.foldBytes !== null && entryStatus(entry, shown) !== "withdrawn";
    return isSent ? sum + textSize(entry.foldBytes).approxTokens : sum;
  }, 0);
}

/** Entries that put a text of ours before the model; witnesses and pure history edits are none. */
export function readUpdates(
  entries: readonly EntryOverview[],
  shown: ActiveLedger | null,
): readonly UpdateStatus[] {
  return entries.flatMap((entry) => {
    if (entry.insertBytes === null || entry.announcedKeys.length === 0) return [];
    return [
      {
        ...textSize(entry.insertBytes),
        atMs: entry.decidedAtMs,
        keys: entry.announcedKeys,
        state: entryStatus(entry, shown),
      },
    ];
  });
}
