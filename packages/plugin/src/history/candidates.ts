// What can go by itself: dead and spent results, attachments and old reasoning.
import { fieldsOf } from "../context/fields.ts";
import type { Edit } from "../projection/edit.ts";
import {
  type HostMessage,
  type HostPart,
  isFile,
  isReasoning,
  isText,
  isTool,
  resultText,
  shows,
} from "../projection/message.ts";
import { estimateTokens } from "../projection/tokens.ts";
import { type Death, deaths } from "./dead.ts";
import type { Facts } from "./measure.ts";
import { type Result, resultsOf } from "./results.ts";
import type { HistorySettings } from "./settings.ts";
import { callsAfter, callsBeyond, type Row, type Sheet } from "./sheet.ts";
import { attachmentStub, type Gone, stubOf } from "./stub.ts";

/** Something that can go, and what goes in its place. */
export interface Candidate {
  readonly partId: string;
  readonly edits: readonly Edit[];
  readonly saves: number;
  /** How many calls have read it since it could go. */
  readonly calls: number;
  readonly gone: Gone;
}

/** Whether what goes is said elsewhere, or true no more: nobody will ask for it again. */
export function isDead({ gone }: Candidate): boolean {
  return gone === "repeated" || gone === "outdated";
}

export interface CandidateInput {
  readonly sheet: Sheet;
  readonly keepTokens: number;
  /** Index, in the host's array, of the user's newest prompt; -1: none. */
  readonly promptIndex: number;
  /** Index of the newest answer: its results nobody has read yet. */
  readonly answerIndex: number;
  readonly claims: ReadonlySet<string>;
  readonly settings: HistorySettings;
}

/** By part id. */
export function candidates(input: CandidateInput): ReadonlyMap<string, Candidate> {
  const { rows } = input.sheet;
  const { results, dying, wanted } = sheetResults(input);
  const found = new Map<string, Candidate>();
  const drops = new Drops(input);
  for (const result of results) {
    const row = rows[result.at];
    if (!row) continue;
    const isUnread = row.last === input.answerIndex;
    const death = placed(dying.get(result.partId), rows);
    const candidate = drops.ofResult(result, row, {
      death,
      wanted: wanted.get(result.partId) ?? 0,
    });
    if (candidate && (death !== null || !isUnread)) found.set(candidate.partId, candidate);
  }
  for (const row of rows) {
    if (row.kind !== "own" || row.last === input.promptIndex) continue;
    for (const candidate of drops.ofParts(row)) found.set(candidate.partId, candidate);
  }
  return found;
}

interface SheetResults {
  readonly results: readonly Result[];
  /** By part id, like what follows. */
  readonly dying: ReadonlyMap<string, Death>;
  readonly wanted: ReadonlyMap<string, number>;
}

/** By what is sent: what can go of it is asked for with several tails. */
const rememberedResults = new WeakMap<Sheet, SheetResults>();

function sheetResults({ sheet }: CandidateInput): SheetResults {
  const known = rememberedResults.get(sheet);
  if (known) return known;
  const results = sheet.rows.flatMap(({ message, measured }, at) =>
    resultsOf(message, measured, at),
  );
  const found = { results, dying: deaths(results), wanted: askedAgain(results) };
  rememberedResults.set(sheet, found);
  return found;
}

/** With the place in the host's array. */
function placed(death: Death | undefined, rows: readonly Row[]): Death | null {
  return death ? { ...death, at: rows[death.at]?.last ?? 0 } : null;
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

interface Fate {
  readonly death: Death | null;
  readonly wanted: number;
}

/** A result that is partly untrue has a part of the tail's protection. */
const OUTDATED_SHARE = 0.25;
/** What is asked for again and again is protected twice as long each time. */
const MOST_DOUBLINGS = 3;
/** Below this a drop would take words away and spare nearly none. */
const LEAST_SAVED_TOKENS = 24;

class Drops {
  /** Where the newest turn that is over ends. */
  readonly #overIndex: number;

  constructor(private readonly input: CandidateInput) {
    const ended = input.sheet.rows.findLast(
      ({ kind, message }) => kind === "own" && endsTurn(message),
    );
    this.#overIndex = ended === undefined ? -1 : ended.last + 1;
  }

  ofResult(result: Result, row: Row, { death, wanted }: Fate): Candidate | null {
    const { claims, sheet, keepTokens } = this.input;
    const { partId, subject } = result;
    if (claims.has(partId)) return null;
    if (death?.why === "repeated") {
      return this.#drop(row, result, { gone: "repeated", calls: callsAfter(sheet, death.at) });
    }
    if (subject.kind === "skill") return null;
    if (death?.why === "outdated") {
      const keep = keepTokens * OUTDATED_SHARE;
      if (!this.#isBeyond(row, keep)) return null;
      const calls = Math.min(callsAfter(sheet, death.at), callsBeyond(sheet, row.end, keep));
      return this.#drop(row, result, { gone: "outdated", calls });
    }
    const keep = keepTokens * 2 ** Math.min(wanted, MOST_DOUBLINGS);
    if (!this.#isBeyond(row, keep)) return null;
    return this.#drop(row, result, { gone: "spent", calls: callsBeyond(sheet, row.end, keep) });
  }

  /** Attachments of the user's, and reasoning of turns that are over. */
  ofParts(row: Row): readonly Candidate[] {
    const { keepTokens, sheet, promptIndex } = this.input;
    const isOver =
      row.last < Math.min(promptIndex, this.#overIndex) && row.last !== this.input.answerIndex;
    if (!this.#isBeyond(row, keepTokens) || !row.message.parts.some(mayGoAlone)) return [];
    const calls = callsBeyond(sheet, row.end, keepTokens);
    return row.message.parts.flatMap((part, index): readonly Candidate[] => {
      const edits =
        isOver && isLooseReasoning(part, row.message)
          ? [{ verb: "omit", at: placeOf(row, part) } as const]
          : this.#attachmentEdits(part, row);
      if (edits.length === 0) return [];
      const [stub] = edits.flatMap((edit) => (edit.verb === "insert" ? [edit.text] : []));
      const tokens = row.measured.parts[index]?.tokens ?? 0;
      const saves = tokens - (stub === undefined ? 0 : estimateTokens(stub));
      if (saves < LEAST_SAVED_TOKENS) return [];
      return [{ partId: part.id, edits, saves, calls, gone: "spent" }];
    });
  }

  #attachmentEdits(part: HostPart, row: Row): readonly Edit[] {
    const { parts } = row.message;
    if (!isFile(part) || !shows(part) || row.message.info.role !== "user") return [];
    // A message of nothing else would be empty without it.
    if (!parts.some((other) => isText(other) && shows(other) && other.synthetic !== true))
      return [];
    const at = placeOf(row, part);
    const text = attachmentStub(part, this.input.settings.wayBack);
    return [
      { verb: "insert", after: at, text },
      { verb: "omit", at },
    ];
  }

  #drop(
    row: Row,
    result: Result,
    { gone, calls }: { readonly gone: Gone; readonly calls: number },
  ): Candidate | null {
    const { part, tokens } = result;
    const stub = rememberedStub(result, gone, this.input.settings);
    const saves = tokens - stub.tokens;
    if (saves < LEAST_SAVED_TOKENS) return null;
    const edit = { verb: "replace", at: placeOf(row, part), text: stub.text } as const;
    return { partId: part.id, edits: [edit], saves, calls, gone };
  }

  #isBeyond({ end }: Row, keepTokens: number): boolean {
    return this.input.sheet.totalTokens - end >= keepTokens;
  }
}

interface Stub {
  readonly text: string;
  readonly tokens: number;
}

/** By what was measured of a result: it is thought of at many calls, and goes at one. */
const rememberedStubs = new WeakMap<Facts, Map<Gone, Stub>>();

function rememberedStub({ part, facts }: Result, gone: Gone, settings: HistorySettings): Stub {
  const stubs = rememberedStubs.get(facts);
  const known = stubs?.get(gone);
  if (known) return known;
  const text = stubOf(part, resultText(part), gone, settings);
  const stub = { text, tokens: estimateTokens(text) };
  if (stubs) stubs.set(gone, stub);
  else rememberedStubs.set(facts, new Map([[gone, stub]]));
  return stub;
}

function placeOf({ message }: Row, { id }: HostPart) {
  return { messageId: message.info.id, partId: id };
}

/** Whether a part may go that is not a result: most messages have none, and are asked at each call. */
function mayGoAlone(part: HostPart): boolean {
  return isReasoning(part) || isFile(part);
}

/**
 * Reasoning of a provider that is known to take a turn that is over without it: Anthropic's, by its
 * signature. Of others some refuse a call whose reasoning is missing, or empty beside its calls, and some
 * keep it on the call itself, so that leaving it out here spares nothing.
 */
function isLooseReasoning(part: HostPart, { info }: HostMessage): boolean {
  if (!isReasoning(part) || info.role !== "assistant") return false;
  return "signature" in fieldsOf(fieldsOf(part.metadata).anthropic);
}

/** An answer without calls ends a turn; a prompt that joins the running one does not. */
function endsTurn(message: HostMessage): boolean {
  const { info, parts } = message;
  return info.role === "assistant" && !info.error && parts.some(shows) && !parts.some(isTool);
}
