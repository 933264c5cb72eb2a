// Finds what a range's calls did, and the lines of a record that are never shortened by age.
import { toFields, type UnknownFields } from "../context/fields.ts";
import { extractQuotedLines, type Label, quoteLines, toSingleLine } from "../context/frames.ts";
import { classifyTool } from "../ledger/host-tools.ts";
import {
  type HostMessage,
  hasEnded,
  isTool,
  readResultText,
  type ToolPart,
} from "../ledger/message.ts";
import { type MeasureMessage, type MessageMeasure, measureParts } from "./measured-history.ts";
import { collectResults, type Result } from "./results.ts";
import {
  clipText,
  findErrorLines,
  findStrikingLines,
  listCandidateLines,
  removeDuplicates,
} from "./words.ts";

export interface FoundResult {
  /** The call, with its outcome if that is informative. */
  readonly name: string;
  readonly outcome: "done" | "failed";
  readonly lines: readonly string[];
}

export interface SearchFindings {
  /** Files, each with what was done to it. */
  readonly files: readonly string[];
  /** The results, informative ones first. */
  readonly results: readonly FoundResult[];
}

const MAX_LINES = 3;
const RETRIEVAL_TOOLS: ReadonlySet<string> = new Set(["ctx_search", "ctx_expand"]);
const NAME_CHARS = 140;

export function collectFindings(
  range: readonly HostMessage[],
  measure: MeasureMessage = measureParts,
): SearchFindings {
  const results = collectResults(range, measure);
  return {
    files: listTouchedFiles(results),
    results: range.flatMap((message) => findResults(message, measure)),
  };
}

/** Caches findings by a message's measurement: many calls consider folds of the same long outputs. */
const cachedResults = new WeakMap<MessageMeasure, readonly FoundResult[]>();

function findResults(message: HostMessage, measure: MeasureMessage): readonly FoundResult[] {
  const measured = measure(message);
  const known = cachedResults.get(measured);
  if (known) return known;
  const found = collectResults([message], measure).flatMap(findInResult);
  cachedResults.set(measured, found);
  return found;
}

function listTouchedFiles(results: readonly Result[]): readonly string[] {
  const touched = new Map<string, Set<string>>();
  for (const { subject, outcome } of results) {
    if (outcome === "failed") continue;
    const [paths, touch] =
      subject.kind === "read"
        ? [[subject.path], "read"]
        : subject.kind === "change"
          ? [subject.paths, subject.extent === "whole" ? "written" : "edited"]
          : [[], ""];
    for (const path of paths) {
      touched.set(path, (touched.get(path) ?? new Set()).add(touch));
    }
  }
  const isChanged = ([, touches]: readonly [string, ReadonlySet<string>]) =>
    touches.has("edited") || touches.has("written") ? 0 : 1;
  return [...touched]
    .sort((one, other) => isChanged(one) - isChanged(other))
    .map(([path, touches]) => `${path} (${[...touches].join(", ")})`);
}

function findInResult(result: Result): readonly FoundResult[] {
  const { subject, tool, text } = result;
  switch (subject.kind) {
    case "run":
      return [toRunFinding(result, subject.command)];
    case "read":
      return [
        {
          name: readName(result, subject.path),
          outcome: toFoundOutcome(result),
          lines: listStrikingLines(text),
        },
      ];
    case "change":
      return result.outcome === "failed"
        ? [{ name: `${tool} ${subject.paths.join(", ")} failed`, ...toFailure(text) }]
        : [];
    case "skill":
      return [{ name: `skill ${subject.name}`, outcome: "done", lines: [] }];
    case "todos":
      return [];
    case "other":
      // The record holds the whole answer to a question.
      return classifyTool(tool) === "question" ? [] : [toOtherFinding(result)];
  }
}

function readName({ tool, part }: Result, path: string): string {
  const { command } = toFields(part.state.input);
  return typeof command === "string" ? `$ ${clipText(command, NAME_CHARS)}` : `${tool} ${path}`;
}

function toRunFinding({ part, outcome, text }: Result, command: string): FoundResult {
  const exit = part.state.status === "completed" ? toFields(part.state.metadata).exit : null;
  const failed = outcome === "failed" || (typeof exit === "number" && exit !== 0);
  const name = `$ ${clipText(command, NAME_CHARS)}${failed ? ` (exit ${exit ?? "failed"})` : ""}`;
  return failed
    ? { name, ...toFailure(text) }
    : { name, outcome: "done", lines: listStrikingLines(text) };
}

function toOtherFinding(result: Result): FoundResult {
  const { part, tool, text } = result;
  const words = Object.values(toFields(part.state.input)).filter(
    (value) => typeof value === "string",
  );
  const name = `${tool} ${clipText(words.join(" "), NAME_CHARS)}`.trim();
  // Our own frame, refs and ages are of no use later; what the look-up found is.
  const said = RETRIEVAL_TOOLS.has(tool) ? extractQuotedLines(text).join("\n") : text;
  return { name, outcome: toFoundOutcome(result), lines: listStrikingLines(said) };
}

function toFailure(text: string): Pick<FoundResult, "outcome" | "lines"> {
  const lines = listCandidateLines(text);
  const errors = findErrorLines(lines, MAX_LINES);
  return { outcome: "failed", lines: errors.length > 0 ? errors : pickStrikingLines(lines) };
}

function listStrikingLines(text: string): readonly string[] {
  return pickStrikingLines(listCandidateLines(text));
}

function pickStrikingLines(lines: readonly string[]): readonly string[] {
  return removeDuplicates([
    ...findErrorLines(lines, 1),
    ...findStrikingLines(lines, MAX_LINES),
  ]).slice(0, MAX_LINES);
}

function toFoundOutcome({ outcome }: Result): "done" | "failed" {
  return outcome === "failed" ? "failed" : "done";
}

// Lists lines of a record that no age shortens: the user's answers and refusals, an approved plan, the open list.

/** Parts of a history whose words a record keeps because nothing later has replaced them. */
interface CurrentParts {
  /** The newest to-do list that the model wrote. */
  readonly todosPartId: string | null;
  /** The writes of plans that the user has approved since. */
  readonly planPartIds: ReadonlySet<string>;
}

const NO_CURRENT_PARTS: CurrentParts = { todosPartId: null, planPartIds: new Set() };

/** Reads the host's messages and not those sent, in which records stand in for calls. */
export function findCurrentParts(messages: readonly HostMessage[]): CurrentParts {
  let todosPartId: string | null = null;
  let written = new Map<string, string>();
  const planPartIds = new Set<string>();
  for (const { parts } of messages) {
    for (const part of parts) {
      if (!isTool(part) || part.state.status !== "completed") continue;
      if (classifyTool(part.tool) === "todos written") todosPartId = part.id;
      const plan = findPlanPath(part);
      if (plan !== null) written.set(plan, part.id);
      if (classifyTool(part.tool) === "plan handed over") {
        for (const id of written.values()) planPartIds.add(id);
        written = new Map();
      }
    }
  }
  return todosPartId === null && planPartIds.size === 0
    ? NO_CURRENT_PARTS
    : { todosPartId, planPartIds };
}

/** Matches the files to which the host has the model write a plan (OpenCode 1.18.33). */
const PLAN_PATH_PATTERN = /(?:^|[/\\])plans?[/\\][^/\\]+\.md$/;

function findPlanPath({ tool, state }: ToolPart): string | null {
  if (classifyTool(tool) !== "write") return null;
  const { filePath } = toFields(state.input);
  return typeof filePath === "string" && PLAN_PATH_PATTERN.test(filePath) ? filePath : null;
}

/** Lists kept lines in the order of the range; most ranges have none. */
export function renderKeptLines(
  range: readonly HostMessage[],
  current: CurrentParts,
): readonly string[] {
  return range.flatMap(({ parts }) =>
    parts.flatMap((part) => (isTool(part) ? renderCall(part, current) : [])),
  );
}

function renderCall(part: ToolPart, { todosPartId, planPartIds }: CurrentParts): readonly string[] {
  if (!hasEnded(part)) return [];
  const input = toFields(part.state.input);
  if (classifyTool(part.tool) === "question") return renderAnswers(input, readResultText(part));
  if (part.id === todosPartId) return renderOpenTodos(input);
  if (planPartIds.has(part.id)) return renderPlan(input);
  return renderRefusal(part);
}

/** Matches the answers as the host joins them. If a host joins them otherwise, the whole text is kept. */
const ANSWERS_PATTERN = /^User has answered your questions: ([\s\S]*?)\. You can now continue/;

function renderAnswers({ questions }: UnknownFields, said: string): readonly string[] {
  const asked = Array.isArray(questions) ? questions.map(toFields) : [];
  const lines = asked.flatMap(({ question }) =>
    typeof question === "string" ? [addLabel("Asked", `the user: “${question}”`)] : [],
  );
  const answer = ANSWERS_PATTERN.exec(said)?.[1] ?? said;
  return [...lines, addLabel("Answered", answer)];
}

const REFUSED_PATTERN =
  /^(?:Error: )?The user rejected permission to use this specific tool call with the following feedback: ([\s\S]+)/;

function renderRefusal(part: ToolPart): readonly string[] {
  if (part.state.status !== "error") return [];
  const [, feedback] = REFUSED_PATTERN.exec(part.state.error) ?? [];
  return feedback === undefined ? [] : [addLabel("Refused", `${part.tool}: “${feedback}”`)];
}

function renderPlan({ content }: UnknownFields): readonly string[] {
  return typeof content === "string" ? [`Planned:\n${quoteLines(content)}`] : [];
}

function renderOpenTodos({ todos }: UnknownFields): readonly string[] {
  if (!Array.isArray(todos)) return [];
  return todos.map(toFields).flatMap(({ content, status }) => {
    const isOpen = status === "pending" || status === "in_progress";
    return isOpen && typeof content === "string" ? [addLabel("Open", content)] : [];
  });
}

/** Puts the text on one line with a label, which no other text can begin with. */
export function addLabel(label: Label, text: string): string {
  return `${label}: ${toSingleLine(text)}`;
}
