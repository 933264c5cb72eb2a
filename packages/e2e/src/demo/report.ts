// Everything that the demo shows: figures per step and side.
import type { LongReport } from "./long/report.ts";

/** What the side is called that is not the host alone. */
export const WITH = "with Session Runtime";

/** What one step cost one host, in tokens and in equivalents of an uncached input token. */
export interface StepFigures {
  readonly bill: number;
  readonly promptTokens: number;
  readonly readTokens: number;
}

export interface Totals {
  readonly bill: number;
  /** The bill if each token were written once and read after. */
  readonly ideal: number;
}

/** One host's way through the session. */
export interface Side {
  readonly steps: readonly StepFigures[];
  readonly totals: Totals;
}

export interface ReportStep {
  readonly label: string;
}

/** All that the demo shows, on the terminal and on the page. */
export interface DemoReport {
  readonly host: "OpenCode" | "Pi";
  /** Who answered: the mock, or a real provider's model. */
  readonly provider: string;
  readonly about: string;
  /** What else the reader has to know of the figures. */
  readonly notes: readonly string[];
  readonly steps: readonly ReportStep[];
  readonly without: Side;
  readonly with: Side;
  /** The session's `/ctx-status`; null where there was none. */
  readonly status: string | null;
}

export function billRatio({ totals }: Side): number {
  return totals.bill / totals.ideal;
}

/** Of all prompt tokens, 0 to 1. */
export function computeReadShare({ steps }: Side): number {
  const prompt = steps.reduce((sum, { promptTokens }) => sum + promptTokens, 0);
  const read = steps.reduce((sum, { readTokens }) => sum + readTokens, 0);
  return prompt === 0 ? 0 : read / prompt;
}

/** All that one run of the demo shows. */
export interface WholeDemo {
  readonly day: DemoReport;
  /** Null against a real provider, where it would cost dollars, and on Pi. */
  readonly long: LongReport | null;
}

/** Of the host's own bill, 0 to 1. */
export function computeSavedShare(report: DemoReport): number {
  return 1 - report.with.totals.bill / report.without.totals.bill;
}
