// Carries the words of a session over its host's compaction: collects and renders statements.
import { flattenLines, frameLines, neutralize } from "../../context/frames.ts";
import type { BoundaryCall } from "../../feature-api/feature-hooks.ts";
import { shortenPastes } from "../../history/pasted-text.ts";
import { findCurrentParts, renderKeptLines } from "../../history/record-lines.ts";
import { isClosingAnswer } from "../../history/results.ts";
import { shortenAnswer } from "../../history/shortening.ts";
import type { RetrievalTool } from "../../history/stub.ts";
import { isCold } from "../../ledger/boundary.ts";
import { createHistoryDraft } from "../../ledger/entry.ts";
import {
  asksForCompaction,
  type HostMessage,
  hasSentContent,
  isSent,
  isText,
  isTyped,
  readCreatedAtMs,
  type TextPart,
} from "../../ledger/message.ts";
import type { BoundaryView, Policy } from "../../ledger/policy.ts";
import { estimateTokens } from "../../ledger/tokens.ts";
import { renderCount } from "../../status/wording.ts";
import type { Statement } from "../../storage/brief-store.ts";
import type { SessionId } from "../../storage/records.ts";
import { isSummary } from "./runtime-facts.ts";

/** Answers of at most this many tokens are quoted whole; of longer ones, the beginning and the end are quoted. */
const MAX_ANSWER_TOKENS = 500;

/**
 * Collects statements in the order of the rows. Skips the host's summaries and whatever the host has added to
 * the user's words.
 */
export function collectStatements(
  rows: readonly HostMessage[],
  wayBack: RetrievalTool,
): readonly Statement[] {
  const current = findCurrentParts(rows);
  return rows.filter(isSent).flatMap((message): readonly Statement[] => {
    const said = { messageId: message.info.id, saidAtMs: readCreatedAtMs(message.info) };
    const prompt = findPromptText(message, wayBack);
    if (prompt !== null) return [{ ...said, kind: "prompt", text: prompt }];
    const answer = findAnswerText(message, wayBack);
    if (answer !== null) return [{ ...said, kind: "answer", text: answer }];
    const kept = renderKeptLines([message], current);
    return kept.map((text) => ({ ...said, kind: "kept", text }));
  });
}

function findPromptText({ info, parts }: HostMessage, wayBack: RetrievalTool): string | null {
  if (info.role !== "user" || asksForCompaction({ parts })) return null;
  return joinParts(
    parts.filter(isTyped),
    (part) => shortenPastes(part.text, part.id, wayBack) ?? part.text,
  );
}

function findAnswerText(message: HostMessage, wayBack: RetrievalTool): string | null {
  if (!isClosingAnswer(message) || isSummary(message.info)) return null;
  const texts = message.parts.filter(isText).filter(hasSentContent);
  return joinParts(texts, ({ id, text }) =>
    estimateTokens(text) > MAX_ANSWER_TOKENS ? shortenAnswer(text, id, wayBack) : text,
  );
}

function joinParts(parts: readonly TextPart[], say: (part: TextPart) => string): string | null {
  const text = parts.map(say).join("\n");
  return text.trim() === "" ? null : text;
}

/** Merges statements. Each message is kept once, as first collected: a host may not return it later. */
export function mergeStatements(
  earlier: readonly Statement[],
  later: readonly Statement[],
): readonly Statement[] {
  const known = new Set(earlier.map(({ messageId }) => messageId));
  return [...earlier, ...later.filter(({ messageId }) => !known.has(messageId))];
}

// Renders the earlier words that a compacted session is sent: the user's prompts as written, and answers.

interface StatementBudget {
  /** The budget for prompts and for anything else that the user said. */
  readonly promptTokens: number;
  readonly answerTokens: number;
  readonly wayBack: RetrievalTool;
}

const STATEMENTS_OPENING =
  "From before the summary, oldest first: what the user wrote, in his own words, and answers that ended his turns. What he asked for still holds where nothing later takes it back.";

/** Renders the newest statements that fit, in chronological order; null if there are none. */
export function renderStatements(
  statements: readonly Statement[],
  feature: StatementBudget,
): string | null {
  if (statements.length === 0) return null;
  const words = chooseStatements(
    statements.filter(({ kind }) => kind !== "answer"),
    feature.promptTokens,
    feature.wayBack,
  );
  const answers = chooseStatements(
    statements.filter(({ kind }) => kind === "answer"),
    feature.answerTokens,
    feature.wayBack,
  );
  const shown = new Map([...words, ...answers]);
  const lines = statements.flatMap((statement) => {
    const text = shown.get(statement);
    return text === undefined ? [] : renderStatement(statement.kind, text);
  });
  return frameLines("earlier-words", [
    STATEMENTS_OPENING,
    ...describeOmitted(statements, shown, feature.wayBack),
    ...lines,
  ]);
}

/** Takes statements from the newest back, until one does not fit even when cut to its beginning and end. */
function chooseStatements(
  statements: readonly Statement[],
  budgetTokens: number,
  wayBack: RetrievalTool,
): ReadonlyMap<Statement, string> {
  const shown = new Map<Statement, string>();
  let leftTokens = budgetTokens;
  for (const statement of statements.toReversed()) {
    const text = shortenToFit(statement, leftTokens, wayBack);
    if (text === null) break;
    shown.set(statement, text);
    leftTokens -= estimateTokens(text);
  }
  return shown;
}

function shortenToFit(
  { text, messageId }: Statement,
  leftTokens: number,
  wayBack: RetrievalTool,
): string | null {
  const fits = (said: string) => estimateTokens(said) <= leftTokens;
  if (fits(text)) return text;
  const shorter = shortenAnswer(text, messageId, wayBack);
  return fits(shorter) ? shorter : null;
}

function renderStatement(kind: Statement["kind"], text: string): readonly string[] {
  switch (kind) {
    case "prompt":
      return ["The user:", ...markLines(text)];
    case "answer":
      return ["The answer:", ...markLines(text)];
    case "kept":
      return [text];
  }
}

/** Marks each line, without changing its words, so that none is mistaken for one of ours. */
function markLines(text: string): readonly string[] {
  return neutralize(text)
    .split(/\r?\n/)
    .map((line) => `> ${flattenLines(line)}`.trimEnd());
}

function describeOmitted(
  statements: readonly Statement[],
  shown: ReadonlyMap<Statement, string>,
  wayBack: RetrievalTool,
): readonly string[] {
  const missing = statements.filter((statement) => !shown.has(statement));
  if (missing.length === 0) return [];
  const prompts = missing.filter(({ kind }) => kind !== "answer").length;
  const answers = missing.length - prompts;
  const some = [
    ...(prompts > 0 ? [renderCount(prompts, "prompt")] : []),
    ...(answers > 0 ? [renderCount(answers, "answer")] : []),
  ];
  const back = wayBack === "none" ? "" : ". ctx_search finds them";
  return [`[${some.join(" and ")} of before are not shown here${back}]`];
}

// Adds the words of a session to its history after its host's compaction: they appear beside the summary from
// the first call on.

/** The origin recorded for the policy's entries. */
const STATEMENTS_POLICY = "earlier-words";

export interface SessionRows {
  readonly rows: readonly HostMessage[];
  /** `whole`: the rows include the session's beginning. `cut`: there may be older rows. */
  readonly extent: "whole" | "cut";
}

interface CarrierDeps {
  readonly wayBack: RetrievalTool;
  /** Returns the statements of the session's newest brief. */
  readonly stored: (sessionId: SessionId) => readonly Statement[];
  /**
   * Reads the session's newest rows; they reach back to its beginning if they are not too many and the host
   * returns rows from before a compaction. Null if the host doesn't answer.
   */
  readonly rows: (sessionId: SessionId) => Promise<SessionRows | null>;
  /** Returns true if the message already has an entry of this name. */
  readonly isCarried: (sessionId: SessionId, name: string, messageId: string) => boolean;
}

/** The window assumed for a model whose window is unknown; the shares below are fractions of the window. */
const DEFAULT_WINDOW_TOKENS = 100_000;
const PROMPT_WINDOW_SHARE = 1 / 10;
const ANSWER_WINDOW_SHARE = 1 / 40;

export class StatementCarrier {
  /** Statements by the id of the row that asked for the compaction. */
  readonly #found = new Map<string, readonly Statement[]>();
  readonly policy: Policy = {
    name: STATEMENTS_POLICY,
    scope: "session",
    draft: (view) => this.#draft(view),
  };

  constructor(private readonly deps: CarrierDeps) {}

  /**
   * Collects the statements that a brief stores, from rows that are about to leave the history. Older
   * statements come from the newest brief; whatever was undone since that brief is left out.
   */
  collect(sessionId: SessionId, found: SessionRows | null): readonly Statement[] {
    const rows = found?.rows ?? [];
    const own = collectStatements(rows, this.deps.wayBack);
    const [first] = rows;
    const head = first && findCompactionId(rows) !== null ? first : null;
    if (found?.extent === "whole" && head === null) return own;
    const until = (head && readCreatedAtMs(head.info)) || Number.POSITIVE_INFINITY;
    const stored = this.deps.stored(sessionId).filter(({ saidAtMs }) => saidAtMs <= until);
    return mergeStatements(stored, own);
  }

  /** Collects what was said before the compaction at the head of the history, once per compaction. */
  async prepare({ sessionId, history }: BoundaryCall): Promise<void> {
    const head = findCompactionId(history);
    if (head === null || this.#found.has(head)) return;
    if (this.deps.isCarried(sessionId, STATEMENTS_POLICY, head)) {
      this.#found.set(head, []);
      return;
    }
    const found = await this.deps.rows(sessionId);
    const said = this.collect(sessionId, found);
    // If the host did not answer and nothing else is known, a later call tries again.
    if (found !== null || said.length > 0) this.#found.set(head, said);
  }

  #draft({ messages, boundary, standing, space }: BoundaryView): ReturnType<Policy["draft"]> {
    const head = findCompactionId(messages);
    const found = head === null ? undefined : this.#found.get(head);
    if (head === null || found === undefined || !isCold(boundary)) return [];
    if (
      standing.some(({ origin, messageId }) => origin === STATEMENTS_POLICY && messageId === head)
    )
      return [];
    const usable = space.usableTokens ?? DEFAULT_WINDOW_TOKENS;
    const text = renderStatements(listRemovedStatements(messages, found), {
      promptTokens: usable * PROMPT_WINDOW_SHARE,
      answerTokens: usable * ANSWER_WINDOW_SHARE,
      wayBack: this.deps.wayBack,
    });
    if (text === null) return [];
    return [createHistoryDraft({ verb: "insert", after: { messageId: head, partId: null }, text })];
  }
}

/** Returns the id of the row at the head of the history, if it asked for a compaction. */
function findCompactionId(messages: readonly HostMessage[]): string | null {
  const [head] = messages;
  return head && asksForCompaction(head) ? head.info.id : null;
}

/**
 * Drops statements that are still in the history, under their own id or as the copy that a host makes of the newest
 * prompt.
 */
function listRemovedStatements(
  messages: readonly HostMessage[],
  statements: readonly Statement[],
): readonly Statement[] {
  const ids = new Set(messages.map(({ info }) => info.id));
  const texts = new Set(
    messages
      .filter(({ info }) => info.role === "user")
      .flatMap(({ parts }) => parts.filter(isText).map(({ text }) => text.trim())),
  );
  return statements.filter(
    ({ kind, messageId, text }) =>
      !ids.has(messageId) && !(kind === "prompt" && texts.has(text.trim())),
  );
}
