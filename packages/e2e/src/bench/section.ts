// The results of one benchmark, with targets and verdicts.
import { type Column, markdownTable } from "../terminal/table.ts";
import type { SectionName } from "./targets.ts";

/** A target of the project, held against what was measured. */
export interface Verdict {
  readonly target: string;
  readonly measured: string;
  readonly outcome: "met" | "not met";
}

/** What one benchmark has to say. */
export interface Section {
  readonly name: SectionName;
  readonly title: string;
  /** Markdown: tables, and how it was measured. */
  readonly body: string;
  readonly verdicts: readonly Verdict[];
}

/** What was not measured, as the most of no samples, is not met. */
export function atMost(target: string, value: number, limit: number, shown: string): Verdict {
  const isMet = Number.isFinite(value) && value <= limit;
  return { target, measured: shown, outcome: isMet ? "met" : "not met" };
}

export function atLeast(target: string, value: number, limit: number, shown: string): Verdict {
  return { target, measured: shown, outcome: value >= limit ? "met" : "not met" };
}

export function moreThan(target: string, value: number, limit: number, shown: string): Verdict {
  return { target, measured: shown, outcome: value > limit ? "met" : "not met" };
}

const COLUMNS: readonly Column[] = [
  { title: "target", align: "left" },
  { title: "measured", align: "right" },
  { title: "", align: "left" },
];

export function verdictTable(verdicts: readonly Verdict[]): string {
  return markdownTable(
    COLUMNS,
    verdicts.map(({ target, measured, outcome }) => [
      target,
      measured,
      outcome === "met" ? "met" : "**not met**",
    ]),
  );
}
