// What the calls of a range did, and what their results say.
import { fieldsOf } from "../context/fields.ts";
import { quotedLines } from "../context/quote.ts";
import { toolKind } from "../projection/host-tools.ts";
import type { HostMessage } from "../projection/message.ts";
import { type Measure, type Measured, plainMeasure } from "./measure.ts";
import { type Result, resultsIn } from "./results.ts";
import { clip, distinct, errorLines, linesOf, strikingLines } from "./words.ts";

export interface FoundResult {
  /** What was called, with how it ended where that says something. */
  readonly name: string;
  readonly outcome: "done" | "failed";
  readonly lines: readonly string[];
}

export interface Findings {
  /** With what was done to each. */
  readonly files: readonly string[];
  /** Those with something to say first. */
  readonly results: readonly FoundResult[];
}

const MOST_LINES = 3;
const LOOK_UPS: ReadonlySet<string> = new Set(["ctx_search", "ctx_expand"]);
const NAME_CHARS = 140;

export function findingsOf(
  range: readonly HostMessage[],
  measure: Measure = plainMeasure,
): Findings {
  const results = resultsIn(range, measure);
  return {
    files: filesOf(results),
    results: range.flatMap((message) => foundInMessage(message, measure)),
  };
}

/** By what was measured of a message: a fold is thought of at many calls, over the same long outputs. */
const remembered = new WeakMap<Measured, readonly FoundResult[]>();

function foundInMessage(message: HostMessage, measure: Measure): readonly FoundResult[] {
  const measured = measure(message);
  const known = remembered.get(measured);
  if (known) return known;
  const found = resultsIn([message], measure).flatMap(foundIn);
  remembered.set(measured, found);
  return found;
}

function filesOf(results: readonly Result[]): readonly string[] {
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

function foundIn(result: Result): readonly FoundResult[] {
  const { subject, tool, text } = result;
  switch (subject.kind) {
    case "run":
      return [foundRun(result, subject.command)];
    case "read":
      return [
        { name: readName(result, subject.path), outcome: outcomeOf(result), lines: striking(text) },
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
      // Its answer stands in the record whole.
      return toolKind(tool) === "question" ? [] : [foundOther(result)];
  }
}

function readName({ tool, part }: Result, path: string): string {
  const { command } = fieldsOf(part.state.input);
  return typeof command === "string" ? `$ ${clip(command, NAME_CHARS)}` : `${tool} ${path}`;
}

function foundRun({ part, outcome, text }: Result, command: string): FoundResult {
  const exit = part.state.status === "completed" ? fieldsOf(part.state.metadata).exit : null;
  const failed = outcome === "failed" || (typeof exit === "number" && exit !== 0);
  const name = `$ ${clip(command, NAME_CHARS)}${failed ? ` (exit ${exit ?? "failed"})` : ""}`;
  return failed ? { name, ...failure(text) } : { name, outcome: "done", lines: striking(text) };
}

function foundOther(result: Result): FoundResult {
  const { part, tool, text } = result;
  const words = Object.values(fieldsOf(part.state.input)).filter(
    (value) => typeof value === "string",
  );
  const name = `${tool} ${clip(words.join(" "), NAME_CHARS)}`.trim();
  // Our own frame, refs and ages say nothing later on; what was found does.
  const said = LOOK_UPS.has(tool) ? quotedLines(text).join("\n") : text;
  return { name, outcome: outcomeOf(result), lines: striking(said) };
}

function failure(text: string): Pick<FoundResult, "outcome" | "lines"> {
  const lines = linesOf(text);
  const errors = errorLines(lines, MOST_LINES);
  return { outcome: "failed", lines: errors.length > 0 ? errors : strikingOf(lines) };
}

function striking(text: string): readonly string[] {
  return strikingOf(linesOf(text));
}

function strikingOf(lines: readonly string[]): readonly string[] {
  return distinct([...errorLines(lines, 1), ...strikingLines(lines, MOST_LINES)]).slice(
    0,
    MOST_LINES,
  );
}

function outcomeOf({ outcome }: Result): "done" | "failed" {
  return outcome === "failed" ? "failed" : "done";
}
