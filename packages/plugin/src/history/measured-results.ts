// The results in what is sent: which later calls made dead, and how often each was asked for before.

import type { MeasuredHistory } from "./measured-history.ts";
import { type Result, toResults } from "./results.ts";
import type { HistorySettings } from "./settings.ts";
import { subjectWithin } from "./subject.ts";
import { deaths, type Supersession } from "./superseded.ts";

interface SheetResults {
  readonly results: readonly Result[];
  /** By part id, like what follows. */
  readonly dying: ReadonlyMap<string, Supersession>;
  readonly wanted: ReadonlyMap<string, number>;
}

/** By what is sent: what can go of it is asked for with several tails. */
const rememberedResults = new WeakMap<MeasuredHistory, SheetResults>();

export function sheetResults(sheet: MeasuredHistory, settings: HistorySettings): SheetResults {
  const known = rememberedResults.get(sheet);
  if (known) return known;
  const results = sheet.rows
    .flatMap(({ message, measured }, at) => toResults(message, measured, at))
    .map((result) => placedResult(result, settings));
  const found = { results, dying: deaths(results), wanted: askedAgain(results) };
  rememberedResults.set(sheet, found);
  return found;
}

/** A file is the same by its path in the directory and by its whole one. */
function placedResult(result: Result, { directory }: HistorySettings): Result {
  const subject = subjectWithin(result.subject, directory);
  return subject === result.subject ? result : { ...result, subject };
}

/** How often each result had been asked for before, with the same answer. */
function askedAgain(results: readonly Result[]): ReadonlyMap<string, number> {
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
