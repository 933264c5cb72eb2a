// Finds what can be dropped individually: superseded and spent results, attachments and old reasoning.
import { toFields } from "../context/fields.ts";
import type { Edit } from "../ledger/edit.ts";
import { classifyTool } from "../ledger/host-tools.ts";
import {
  type HostMessage,
  type HostPart,
  hasSentContent,
  isFile,
  isReasoning,
  isText,
  isTool,
  isTyped,
  readResultText,
} from "../ledger/message.ts";
import { isSyntheticPart } from "../ledger/revise.ts";
import { estimateTokens } from "../ledger/tokens.ts";
import {
  type Candidate,
  type CandidateInput,
  isLossAllowed,
  MIN_SAVED_TOKENS,
} from "./candidate.ts";
import {
  countCallsAfter,
  countCallsBeyond,
  type MeasuredRow,
  type PartFacts,
} from "./measured-history.ts";
import { shortenAttached, shortenPastes } from "./pasted-text.ts";
import type { Result } from "./results.ts";
import type { HistorySettings } from "./settings.ts";
import { listShortenedClosings } from "./shortening.ts";
import { type DropReason, type RetrievalTool, renderAttachmentStub, renderStub } from "./stub.ts";
import { readSheetResults, type Supersession } from "./superseded.ts";

/** Maps part ids to candidates. */
export function collectCandidates(input: CandidateInput): ReadonlyMap<string, Candidate> {
  const { rows } = input.sheet;
  const { results, dying, wanted } = readSheetResults(input.sheet, input.settings);
  const found = new Map<string, Candidate>();
  const drops = new DropFactory(input);
  const newest = new Set(results.slice(-NEWEST_RESULTS));
  for (const result of results) {
    const row = rows[result.at];
    if (!row || (newest.has(result) && input.keepTokens > 0)) continue;
    const isUnread = row.last === input.answerIndex;
    const death = toHostIndices(dying.get(result.partId), rows);
    const candidate = drops.fromResult(result, row, {
      death,
      wanted: wanted.get(result.partId) ?? 0,
    });
    if (candidate && (death !== null || !isUnread)) found.set(candidate.partId, candidate);
  }
  for (const row of rows) {
    if (row.kind !== "own" || row.last === input.promptIndex) continue;
    for (const candidate of drops.fromParts(row)) found.set(candidate.partId, candidate);
  }
  for (const candidate of listShortenedClosings(input)) found.set(candidate.partId, candidate);
  for (const { message } of rows)
    for (const part of message.parts)
      if (found.has(part.id) && input.isKept(part, message)) found.delete(part.id);
  return found;
}

/** Converts row indices into indices of the host's array. */
function toHostIndices(
  death: Supersession | undefined,
  rows: readonly MeasuredRow[],
): Supersession | null {
  if (death === undefined) return null;
  const toHostIndex = (index: number) => rows[index]?.last ?? 0;
  const at = toHostIndex(death.at);
  switch (death.why) {
    case "repeated":
      return { why: death.why, at };
    case "outdated":
      return { why: death.why, at, changedAt: toHostIndex(death.changedAt) };
  }
}

/** Matches the result of a question to the user, which holds his own words. */
function isUserAnswer({ tool }: Result): boolean {
  return classifyTool(tool) === "question";
}

interface ResultState {
  readonly death: Supersession | null;
  readonly wanted: number;
}

/** A result that is partly outdated is protected by this share of the tail. */
const OUTDATED_SHARE = 0.25;
/** The text of a file that is being changed stays for this many calls, as it is read between changes. */
const ACTIVE_FILE_CALLS = 6;
/** This many of the newest results stay, however short the tail is. */
const NEWEST_RESULTS = 3;
/** Each repeated request doubles a result's protection, up to this many times. */
const MAX_DOUBLINGS = 3;

class DropFactory {
  /** The index at which the newest finished turn ends. */
  readonly #overIndex: number;

  constructor(private readonly input: CandidateInput) {
    const ended = input.sheet.rows.findLast(
      ({ kind, message }) => kind === "own" && endsTurn(message),
    );
    this.#overIndex = ended === undefined ? -1 : ended.last + 1;
  }

  fromResult(result: Result, row: MeasuredRow, { death, wanted }: ResultState): Candidate | null {
    const { claims, sheet, keepTokens } = this.input;
    const { partId, subject } = result;
    if (claims.has(partId) || isUserAnswer(result)) return null;
    if (death?.why === "repeated") {
      return this.#drop(row, result, { gone: "repeated", calls: countCallsAfter(sheet, death.at) });
    }
    if (subject.kind === "skill") return null;
    if (death?.why === "outdated") {
      const isAtWork =
        subject.kind === "read" && countCallsAfter(sheet, death.changedAt) < ACTIVE_FILE_CALLS;
      if (isAtWork) return null;
      const keep = keepTokens * OUTDATED_SHARE;
      if (!this.#isBeyond(row, keep)) return null;
      const calls = Math.min(
        countCallsAfter(sheet, death.at),
        countCallsBeyond(sheet, row.end, keep),
      );
      return this.#drop(row, result, { gone: "outdated", calls });
    }
    const keep = keepTokens * 2 ** Math.min(wanted, MAX_DOUBLINGS);
    if (!this.#isBeyond(row, keep)) return null;
    return this.#drop(row, result, {
      gone: "spent",
      calls: countCallsBeyond(sheet, row.end, keep),
    });
  }

  /** Lists the user's attachments, and the reasoning of finished turns, as candidates. */
  fromParts(row: MeasuredRow): readonly Candidate[] {
    const { keepTokens, sheet, promptIndex } = this.input;
    const isOver =
      row.last < Math.min(promptIndex, this.#overIndex) && row.last !== this.input.answerIndex;
    if (!this.#isBeyond(row, keepTokens) || !row.message.parts.some(isDroppableAlone)) return [];
    const calls = countCallsBeyond(sheet, row.end, keepTokens);
    return row.message.parts.flatMap((part, index): readonly Candidate[] => {
      const edits =
        isOver && isDroppableReasoning(part, row.message)
          ? [{ verb: "omit", at: toPartAnchor(row, part) } as const]
          : isLossAllowed(this.input)
            ? [...this.#createAttachmentEdits(part, row), ...this.#createPasteEdits(part, row)]
            : [];
      if (edits.length === 0) return [];
      const [stub] = edits.flatMap((edit) => ("text" in edit ? [edit.text] : []));
      const tokens = row.measured.parts[index]?.tokens ?? 0;
      const saves = tokens - (stub === undefined ? 0 : estimateTokens(stub));
      if (saves < MIN_SAVED_TOKENS) return [];
      return [{ partId: part.id, edits, saves, calls, dropReason: "spent" }];
    });
  }

  #createAttachmentEdits(part: HostPart, row: MeasuredRow): readonly Edit[] {
    const { parts } = row.message;
    if (!isFile(part) || !hasSentContent(part) || row.message.info.role !== "user") return [];
    // A message without other content would be empty without its attachment.
    if (!parts.some(isTyped)) return [];
    const at = toPartAnchor(row, part);
    const text = renderAttachmentStub(part, this.input.settings.wayBack);
    return [
      { verb: "insert", after: at, text },
      { verb: "omit", at },
    ];
  }

  /** Shortens what a user pasted, and what the host put next to his words. */
  #createPasteEdits(part: HostPart, row: MeasuredRow): readonly Edit[] {
    if (row.message.info.role !== "user" || !isText(part) || !hasSentContent(part)) return [];
    // No edit can name one of our own updates among these parts.
    if (isSyntheticPart(part)) return [];
    const { wayBack } = this.input.settings;
    const shorten = part.synthetic === true ? shortenAttached : shortenPastes;
    const text = shorten(part.text, part.id, wayBack);
    return text === null ? [] : [{ verb: "replace", at: toPartAnchor(row, part), text }];
  }

  #drop(
    row: MeasuredRow,
    result: Result,
    { gone, calls }: { readonly gone: DropReason; readonly calls: number },
  ): Candidate | null {
    const { part, tokens } = result;
    const stub = recallStub(result, gone, this.input.settings);
    const saves = tokens - stub.tokens;
    if (saves < MIN_SAVED_TOKENS) return null;
    const edit = { verb: "replace", at: toPartAnchor(row, part), text: stub.text } as const;
    return { partId: part.id, edits: [edit], saves, calls, dropReason: gone };
  }

  #isBeyond({ end }: MeasuredRow, keepTokens: number): boolean {
    return this.input.sheet.totalTokens - end >= keepTokens;
  }
}

interface Stub {
  readonly text: string;
  readonly tokens: number;
}

/** Caches stubs by a result's measurement: many calls consider a result, and one drops it. */
const rememberedStubs = new WeakMap<PartFacts, Map<`${DropReason} ${RetrievalTool}`, Stub>>();

function recallStub({ part, facts }: Result, gone: DropReason, settings: HistorySettings): Stub {
  const stubs = rememberedStubs.get(facts);
  const said = `${gone} ${settings.wayBack}` as const;
  const known = stubs?.get(said);
  if (known) return known;
  const text = renderStub(part, readResultText(part), gone, settings);
  const stub = { text, tokens: estimateTokens(text) };
  if (stubs) stubs.set(said, stub);
  else rememberedStubs.set(facts, new Map([[said, stub]]));
  return stub;
}

function toPartAnchor({ message }: MeasuredRow, { id }: HostPart) {
  return { messageId: message.info.id, partId: id };
}

/** A shorter text holds no paste that is worth shortening. */
const MIN_PASTE_CHARS = 2_400;

/** Matches parts other than results that may be dropped; most messages have none, but all are checked. */
function isDroppableAlone(part: HostPart): boolean {
  return isReasoning(part) || isFile(part) || (isText(part) && part.text.length > MIN_PASTE_CHARS);
}

/**
 * Matches reasoning of a provider known to accept finished turns without it: Anthropic's, by its signature.
 * Some other providers refuse a call if reasoning is missing, or is empty next to its calls; some keep it on
 * the call itself, so leaving it out here saves nothing.
 */
function isDroppableReasoning(part: HostPart, { info }: HostMessage): boolean {
  if (!isReasoning(part) || info.role !== "assistant") return false;
  return "signature" in toFields(toFields(part.metadata).anthropic);
}

/** Returns true if the answer has no calls; a prompt that joins the running turn does not end it. */
function endsTurn(message: HostMessage): boolean {
  const { info, parts } = message;
  return (
    info.role === "assistant" && !info.error && parts.some(hasSentContent) && !parts.some(isTool)
  );
}
