// Reads the updates that the model received, for status.
import { BYTES_PER_TOKEN } from "../ledger/tokens.ts";
import type { EntryOverview, FormOverview } from "../storage/overview-records.ts";
import { type ActiveLedger, type EntryState, resolveEntryState } from "./section.ts";

// Measures a text in bytes and estimated tokens.

/** The size of a text. */
export interface TextSize {
  /** Bytes in UTF-8. */
  readonly bytes: number;
  /** An estimate: four bytes to a token. */
  readonly approxTokens: number;
}

const encoder = new TextEncoder();

export function countBytes(text: string): number {
  return encoder.encode(text).length;
}

export function toTextSize(bytes: number): TextSize {
  return { bytes, approxTokens: Math.ceil(bytes / BYTES_PER_TOKEN) };
}

/** A Mid-Conversation System Message; its size is that of the text as sent. */
export interface UpdateStatus extends TextSize {
  readonly atMs: number;
  readonly keys: readonly string[];
  readonly state: EntryState;
}

/** The forms in which a model was sent updates of the current epoch; the rest of them went as text. */
export interface FormStatus {
  /** `provider/model` */
  readonly model: string;
  /** The number of updates sent in the provider's own instruction role. */
  readonly native: number;
  /** The number of updates that were first sent or tried in that role, and have been sent as text since. */
  readonly fellBack: number;
}

/** Counts the forms by model, for models in whose own role any update was requested. */
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

/** Adds up the tokens of updates that are sent now. */
export function sumSentTokens(updates: readonly UpdateStatus[]): number {
  const sent = updates.filter(({ state }) => state !== "withdrawn");
  return sent.reduce((sum, { approxTokens }) => sum + approxTokens, 0);
}

/** Adds up the tokens of the folded history that is sent now. */
export function sumFoldedTokens(
  entries: readonly EntryOverview[],
  shown: ActiveLedger | null,
): number {
  return entries.reduce((sum, entry) => {
    const isSent = entry.foldBytes !== null && resolveEntryState(entry, shown) !== "withdrawn";
    return isSent ? sum + toTextSize(entry.foldBytes).approxTokens : sum;
  }, 0);
}

/** Lists entries that put a text of ours before the model; witnesses and pure history edits do not. */
export function readUpdates(
  entries: readonly EntryOverview[],
  shown: ActiveLedger | null,
): readonly UpdateStatus[] {
  return entries.flatMap((entry) => {
    if (entry.insertBytes === null || entry.announcedKeys.length === 0) return [];
    return [
      {
        ...toTextSize(entry.insertBytes),
        atMs: entry.decidedAtMs,
        keys: entry.announcedKeys,
        state: resolveEntryState(entry, shown),
      },
    ];
  });
}
