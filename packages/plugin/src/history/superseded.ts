// Finds superseded results: those that later calls have repeated or made untrue.
import type { MeasuredHistory, PartFacts } from "./measured-history.ts";
import { type Result, toResults } from "./results.ts";
import type { HistorySettings } from "./settings.ts";
import { type LineRange, resolveSubject } from "./subject.ts";

/** `at` is the index of the message whose call superseded the result. */
export type Supersession =
  /** The same words occur further on, or a later run of the same call gave the same result. */
  | { readonly at: number; readonly why: "repeated" }
  /** A part of the result is outdated; the rest may still be of use. `changedAt` is the newest change. */
  | { readonly at: number; readonly why: "outdated"; readonly changedAt: number };

/**
 * Maps part ids of superseded results to the earliest call that superseded them. `results` are in the order
 * of the history.
 */
export function findSupersessions(results: readonly Result[]): ReadonlyMap<string, Supersession> {
  const found = new Map<string, Supersession>();
  const later = new LaterCalls();
  for (const result of results.toReversed()) {
    const death = later.findSupersession(result);
    if (death !== null) found.set(result.partId, death);
    later.add(result);
  }
  return found;
}

interface LaterRead {
  readonly at: number;
  /** Null if the result was cut, as it then covers nothing beyond an equal call. */
  readonly lines: LineRange | null;
}

/** The effects of the calls after a place, each kind with its earliest call. */
class LaterCalls {
  readonly #done = new Map<string, Result>();
  readonly #reads = new Map<string, LaterRead[]>();
  readonly #written = new Map<string, number>();
  readonly #changed = new Map<string, number>();
  readonly #lastChanged = new Map<string, number>();
  #todos: number | null = null;

  add(result: Result): void {
    const { at, subject, outcome } = result;
    if (outcome === "failed") return;
    this.#done.set(result.key, result);
    switch (subject.kind) {
      case "read": {
        const lines = isCut(result) ? null : subject.lines;
        const others = this.#reads.get(subject.path);
        if (others) others.push({ at, lines });
        else this.#reads.set(subject.path, [{ at, lines }]);
        break;
      }
      case "change":
        for (const path of subject.paths) {
          this.#changed.set(path, at);
          if (!this.#lastChanged.has(path)) this.#lastChanged.set(path, at);
          if (subject.extent === "whole") this.#written.set(path, at);
        }
        break;
      case "todos":
        this.#todos = at;
        break;
      case "run":
      case "skill":
      case "other":
        break;
    }
  }

  findSupersession(result: Result): Supersession | null {
    if (result.outcome === "blanked") return createRepetition(result.at);
    const same = this.#done.get(result.key);
    if (result.outcome === "failed") return same ? createRepetition(same.at) : null;
    const { subject } = result;
    switch (subject.kind) {
      case "read":
        return this.#supersedeRead(subject, same);
      case "change":
        return this.#findOutdated(subject.paths);
      case "run":
        return same ? supersedeRun(result, same) : null;
      case "todos":
        return this.#todos === null ? null : createRepetition(this.#todos);
      case "skill":
      case "other":
        return same ? createRepetition(same.at) : null;
    }
  }

  #supersedeRead(
    { path, lines }: { readonly path: string; readonly lines: LineRange | null },
    same: Result | undefined,
  ): Supersession | null {
    const written = this.#written.get(path);
    const covering = (this.#reads.get(path) ?? []).findLast(
      (read) => read.lines !== null && coversLines(read.lines, lines),
    );
    const places = [written, covering?.at, same?.at].filter((at) => at !== undefined);
    return places.length > 0 ? createRepetition(Math.min(...places)) : this.#findOutdated([path]);
  }

  #findOutdated(paths: readonly string[]): Supersession | null {
    const places = paths.flatMap((path) => this.#changed.get(path) ?? []);
    if (places.length < paths.length) return null;
    const changedAt = Math.max(...paths.map((path) => this.#lastChanged.get(path) ?? 0));
    return { at: Math.max(...places), why: "outdated", changedAt };
  }
}

const ALL_LINES: LineRange = { from: 1, to: Number.POSITIVE_INFINITY };

function createRepetition(at: number): Supersession {
  return { at, why: "repeated" };
}

/** If a later run had another outcome, the earlier result only shows a state that has passed. */
function supersedeRun(result: Result, same: Result): Supersession {
  const { at } = same;
  return same.text === result.text ? createRepetition(at) : { at, why: "outdated", changedAt: at };
}

/** Returns true if one range covers the other; lines chosen by content need the whole file. */
function coversLines(one: LineRange, wanted: LineRange | null): boolean {
  const other = wanted ?? ALL_LINES;
  return one.from <= other.from && one.to >= other.to;
}

const NOTICE_CHARS = 400;
const CUT_NOTICE_PATTERN = /\(File has more lines|\(Output (?:capped|truncated)|\bshowing lines\b/i;

/**
 * Recognises a cut result by the notes of the host and of our own limit, or by the read tool's words at its end.
 */
function isCut({ text, facts, part: { state } }: Result): boolean {
  const metadata = state.status === "completed" ? state.metadata : undefined;
  if (metadata?.truncated === true || metadata?.outputPaths !== undefined) return true;
  const known = cutNoticeCache.get(facts);
  if (known !== undefined) return known;
  const says = CUT_NOTICE_PATTERN.test(text.slice(-NOTICE_CHARS));
  cutNoticeCache.set(facts, says);
  return says;
}

/** Caches by a result's measurement, as searching the result's end takes longer than everything else. */
const cutNoticeCache = new WeakMap<PartFacts, boolean>();

// Finds the results in what is sent, which of them later calls superseded, and how often each was read before.

interface SheetResults {
  readonly results: readonly Result[];
  /**
   * `dying` maps part ids to the call that superseded the result, `wanted` to how often it was read before.
   */
  readonly dying: ReadonlyMap<string, Supersession>;
  readonly wanted: ReadonlyMap<string, number>;
}

/** Caches results by what is sent, as several lengths of tail are tried. */
const cachedResults = new WeakMap<MeasuredHistory, SheetResults>();

export function readSheetResults(sheet: MeasuredHistory, settings: HistorySettings): SheetResults {
  const known = cachedResults.get(sheet);
  if (known) return known;
  const results = sheet.rows
    .flatMap(({ message, measured }, at) => toResults(message, measured, at))
    .map((result) => placeResult(result, settings));
  const found = { results, dying: findSupersessions(results), wanted: countReReads(results) };
  cachedResults.set(sheet, found);
  return found;
}

/** Gives the result's file its path in the directory, so that relative and absolute paths are the same. */
function placeResult(result: Result, { directory }: HistorySettings): Result {
  const subject = resolveSubject(result.subject, directory);
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
