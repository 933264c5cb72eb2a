// Finds the results in what is sent, which of them later calls superseded, and how often each was read before.

import type { MeasuredHistory } from "./measured-history.ts";
import { type Result, toResults } from "./results.ts";
import type { HistorySettings } from "./settings.ts";
import { subjectWithin } from "./subject.ts";
import { findSupersessions, type Supersession } from "./superseded.ts";

interface SheetResults {
  readonly results: readonly Result[];
  /** Maps part ids to the call that superseded the result; `wanted` maps them to how often it was read before. */
  readonly dying: ReadonlyMap<string, Supersession>;
  readonly wanted: ReadonlyMap<string, number>;
}

/** Caches results by what is sent, as several lengths of tail are tried. */
const rememberedResults = new WeakMap<MeasuredHistory, SheetResults>();

export function sheetResults(sheet: MeasuredHistory, settings: HistorySettings): SheetResults {
  const known = rememberedResults.get(sheet);
  if (known) return known;
  const results = sheet.rows
    .flatMap(({ message, measured }, at) => toResults(message, measured, at))
    .map((result) => placedResult(result, settings));
  const found = { results, dying: findSupersessions(results), wanted: countReReads(results) };
  rememberedResults.set(sheet, found);
  return found;
}

/** Gives the result's file its path in the directory, so that relative and absolute paths are the same. */
function placedResult(result: Result, { directory }: HistorySettings): Result {
  const subject = subjectWithin(result.subject, directory);
  return subject === result.subject ? result : { ...result, subject };
}

/** Counts how often each result had been requested before with the same answer. */
function countReReads(results: readonly Result[]): ReadonlyMap<string, number> {
  const times = new Map<string, { readonly text: string; readonly count: number }>();
  return new Map(
    results.map(({ partId, key, text }) => {
      const former = times.get(key);
      const count = former?.text === text ? former.count + 1 : 0;
      times.set(key, { text, count });
      return [partId, count];
    }),
  );
}
