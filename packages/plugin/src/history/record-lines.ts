// Finds what the calls of a range did, and the lines of a record that no age shortens.
import { type ComparedFields, toFields } from "../context/fields.ts";
import { type Label, quotation, quotedLines, toSingleLine } from "../context/frames.ts";
import { toolKind } from "../ledger/host-tools.ts";
import {
  type HostMessage,
  hasEnded,
  isTool,
  resultText,
  type ToolPart,
} from "../ledger/message.ts";
import { type MeasureMessage, type MessageMeasure, plainMeasure } from "./measured-history.ts";
import { type Result, resultsIn } from "./results.ts";
import { candidateLines, clip, distinctValues, errorLines, strikingLines } from "./words.ts";

export interface FoundResult {
  /** The call, with how it ended where that is informative. */
  readonly name: string;
  readonly outcome: "done" | "failed";
  readonly lines: readonly string[];
}

export interface SearchFindings {
  /** Files, each with what was done to it. */
  readonly files: readonly string[];
  /** Results, with informative ones first. */
  readonly results: readonly FoundResult[];
}

const MAX_LINES = 3;
const LOOK_UPS: ReadonlySet<string> = new Set(["ctx_search", "ctx_expand"]);
const NAME_CHARS = 140;

export function collectFindings(
  range: readonly HostMessage[],
  measure: MeasureMessage = plainMeasure,
): SearchFindings {
  const results = resultsIn(range, measure);
  return {
    files: listTouchedFiles(results),
    results: range.flatMap((message) => foundInMessage(message, measure)),
  };
}

/** Caches findings by a message's measurement: many calls consider folds of the same long outputs. */
const remembered = new WeakMap<MessageMeasure, readonly FoundResult[]>();

function foundInMessage(message: HostMessage, measure: MeasureMessage): readonly FoundResult[] {
  const measured = measure(message);
  const known = remembered.get(measured);
  if (known) return known;
  const found = resultsIn([message], measure).flatMap(findInResult);
  remembered.set(measured, found);
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
  const changed = ([, touches]: readonly [string, ReadonlySet<string>]) =>
    touches.has("edited") || touches.has("written") ? 0 : 1;
  return [...touched]
    .sort((one, other) => changed(one) - changed(other))
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
          outcome: resultOutcome(result),
          lines: listStrikingLines(text),
        },
      ];
    case "change":
      return result.outcome === "failed"
        ? [{ name: `${tool} ${subject.paths.join(", ")} failed`, ...failure(text) }]
        : [];
    case "skill":
      return [{ name: `skill ${subject.name}`, outcome: "done", lines: [] }];
    case "todos":
      return [];
    case "other":
      // The record holds a question's answer whole.
      return toolKind(tool) === "question" ? [] : [toOtherFinding(result)];
  }
}

function readName({ tool, part }: Result, path: string): string {
  const { command } = toFields(part.state.input);
  return typeof command === "string" ? `$ ${clip(command, NAME_CHARS)}` : `${tool} ${path}`;
}

function toRunFinding({ part, outcome, text }: Result, command: string): FoundResult {
  const exit = part.state.status === "completed" ? toFields(part.state.metadata).exit : null;
  const failed = outcome === "failed" || (typeof exit === "number" && exit !== 0);
  const name = `$ ${clip(command, NAME_CHARS)}${failed ? ` (exit ${exit ?? "failed"})` : ""}`;
  return failed
    ? { name, ...failure(text) }
    : { name, outcome: "done", lines: listStrikingLines(text) };
}

function toOtherFinding(result: Result): FoundResult {
  const { part, tool, text } = result;
  const words = Object.values(toFields(part.state.input)).filter(
    (value) => typeof value === "string",
  );
  const name = `${tool} ${clip(words.join(" "), NAME_CHARS)}`.trim();
  // Our own frame, refs and ages are of no use later; what was found is.
  const said = LOOK_UPS.has(tool) ? quotedLines(text).join("\n") : text;
  return { name, outcome: resultOutcome(result), lines: listStrikingLines(said) };
}

function failure(text: string): Pick<FoundResult, "outcome" | "lines"> {
  const lines = candidateLines(text);
  const errors = errorLines(lines, MAX_LINES);
  return { outcome: "failed", lines: errors.length > 0 ? errors : pickStrikingLines(lines) };
}

function listStrikingLines(text: string): readonly string[] {
  return pickStrikingLines(candidateLines(text));
}

function pickStrikingLines(lines: readonly string[]): readonly string[] {
  return distinctValues([...errorLines(lines, 1), ...strikingLines(lines, MAX_LINES)]).slice(
    0,
    MAX_LINES,
  );
}

function resultOutcome({ outcome }: Result): "done" | "failed" {
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

const NOTHING_CURRENT: CurrentParts = { todosPartId: null, planPartIds: new Set() };

/** Reads the host's messages and not the sent ones, where records stand in for calls. */
export function findCurrentParts(messages: readonly HostMessage[]): CurrentParts {
  let todosPartId: string | null = null;
  let written = new Map<string, string>();
  const planPartIds = new Set<string>();
  for (const { parts } of messages) {
    for (const part of parts) {
      if (!isTool(part) || part.state.status !== "completed") continue;
      if (toolKind(part.tool) === "todos written") todosPartId = part.id;
      const plan = planPath(part);
      if (plan !== null) written.set(plan, part.id);
      if (toolKind(part.tool) === "plan handed over") {
        for (const id of written.values()) planPartIds.add(id);
        written = new Map();
      }
    }
  }
  return todosPartId === null && planPartIds.size === 0
    ? NOTHING_CURRENT
    : { todosPartId, planPartIds };
}

/** Matches the files to which the host has the model write a plan (OpenCode 1.18.33). */
const PLAN = /(?:^|[/\\])plans?[/\\][^/\\]+\.md$/;

function planPath({ tool, state }: ToolPart): string | null {
  if (toolKind(tool) !== "write") return null;
  const { filePath } = toFields(state.input);
  return typeof filePath === "string" && PLAN.test(filePath) ? filePath : null;
}

/** Lists kept lines in the order of the range; most ranges have none. */
export function keptLines(range: readonly HostMessage[], current: CurrentParts): readonly string[] {
  return range.flatMap(({ parts }) =>
    parts.flatMap((part) => (isTool(part) ? linesOfCall(part, current) : [])),
  );
}

function linesOfCall(
  part: ToolPart,
  { todosPartId, planPartIds }: CurrentParts,
): readonly string[] {
  if (!hasEnded(part)) return [];
  const input = toFields(part.state.input);
  if (toolKind(part.tool) === "question") return answered(input, resultText(part));
  if (part.id === todosPartId) return openTodos(input);
  if (planPartIds.has(part.id)) return approvedPlan(input);
  return refused(part);
}

/** Matches the answers as the host joins them. Where another host joins them otherwise, the whole text is kept. */
const ANSWERS = /^User has answered your questions: ([\s\S]*?)\. You can now continue/;

function answered({ questions }: ComparedFields, said: string): readonly string[] {
  const asked = Array.isArray(questions) ? questions.map(toFields) : [];
  const lines = asked.flatMap(({ question }) =>
    typeof question === "string" ? [withLabel("Asked", `the user: “${question}”`)] : [],
  );
  const answer = ANSWERS.exec(said)?.[1] ?? said;
  return [...lines, withLabel("Answered", answer)];
}

const REFUSED =
  /^(?:Error: )?The user rejected permission to use this specific tool call with the following feedback: ([\s\S]+)/;

function refused(part: ToolPart): readonly string[] {
  if (part.state.status !== "error") return [];
  const [, feedback] = REFUSED.exec(part.state.error) ?? [];
  return feedback === undefined ? [] : [withLabel("Refused", `${part.tool}: “${feedback}”`)];
}

function approvedPlan({ content }: ComparedFields): readonly string[] {
  return typeof content === "string" ? [`Planned:\n${quotation(content)}`] : [];
}

function openTodos({ todos }: ComparedFields): readonly string[] {
  if (!Array.isArray(todos)) return [];
  return todos.map(toFields).flatMap(({ content, status }) => {
    const isOpen = status === "pending" || status === "in_progress";
    return isOpen && typeof content === "string" ? [withLabel("Open", content)] : [];
  });
}

/** Puts the text on one line with a label, which no other text can begin with. */
export function withLabel(label: Label, text: string): string {
  return `${label}: ${toSingleLine(text)}`;
}
