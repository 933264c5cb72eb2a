// Finds what the calls of a range did, and what their results say.
import { toFields } from "../context/fields.ts";
import { quotedLines } from "../context/quote.ts";
import { toolKind } from "../ledger/host-tools.ts";
import type { HostMessage } from "../ledger/message.ts";
import { type MeasureMessage, type MessageMeasure, plainMeasure } from "./measure.ts";
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
