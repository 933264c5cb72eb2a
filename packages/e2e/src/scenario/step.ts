import type { Files } from "../host/home.ts";

/** Scenarios work in one session, and may open another in a second project. */
export type Place = "first" | "second";

/** One thing that happens in a scenario. */
export type Step =
  /** A turn: the model reads the file, then answers. */
  | {
      readonly type: "turn";
      readonly place: Place;
      readonly agent: "build" | "plan";
      readonly text: string;
      readonly file: string;
      readonly answer: string;
    }
  /** Someone writes a file of the project. */
  | { readonly type: "edit"; readonly place: Place; readonly files: Files }
  | { readonly type: "restart" }
  /** The last prompt is taken back; the next one replaces it. */
  | { readonly type: "undo" }
  | { readonly type: "compact" };

export type StepType = Step["type"];

export interface Scenario {
  readonly name: string;
  /** What the scenario shows, in one line. */
  readonly about: string;
  readonly files: Files;
  readonly steps: readonly Step[];
}

export function labelOf(step: Step): string {
  switch (step.type) {
    case "turn":
      return (
        step.text +
        (step.agent === "plan" ? " (plan mode)" : "") +
        (step.place === "second" ? " (second project)" : "")
      );
    case "edit":
      return `edit of ${Object.keys(step.files).join(", ")}`;
    case "restart":
      return "restart of the host";
    case "undo":
      return "undo of the last prompt";
    case "compact":
      return "compaction";
  }
}
