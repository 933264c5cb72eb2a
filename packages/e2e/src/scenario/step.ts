// The things that can happen in a scenario.
import type { Files } from "../host/home.ts";

/** Scenarios work in one session, and may open another in a second project, or a fork of the first. */
export type Place = "first" | "second" | "fork";

/** A turn: the model reads the file, then answers. */
export interface Turn {
  readonly type: "turn";
  readonly place: Place;
  /** `reviewer` has a prompt of its own; the scenario's files have to define it. */
  readonly agent: "build" | "plan" | "reviewer";
  readonly model: "anthropic" | "second" | "chat";
  /** What the prompt adds to the system string for itself. */
  readonly system: string | null;
  readonly text: string;
  readonly file: string;
  readonly answer: string;
}

/** One thing that happens in a scenario. */
export type Step =
  | Turn
  /** Someone writes files of a project, or of the user's home. */
  | { readonly type: "edit"; readonly place: Place | "home"; readonly files: Files }
  | { readonly type: "restart" }
  /** The next day begins; the host is restarted, since its clock can't be moved. */
  | { readonly type: "midnight" }
  /** The host opens the project again: it reads skills only then. */
  | { readonly type: "reopen" }
  /** The provider is overloaded once; the host tries again. */
  | { readonly type: "overload" }
  /** The last prompt is taken back; the next one replaces it. */
  | { readonly type: "undo" }
  | { readonly type: "compact" }
  /** The first session is copied; turns in the place `fork` go on from there. */
  | { readonly type: "fork" }
  /** The first session goes into a folder of its project; "" is the project's own. */
  | { readonly type: "move"; readonly folder: string }
  /** An MCP server comes or goes, and the tool list with it. */
  | { readonly type: "tools"; readonly server: "comes" | "goes" }
  /** Nobody does anything for so long. */
  | { readonly type: "idle"; readonly minutes: number };

export type StepType = Step["type"];

export interface Scenario {
  readonly name: string;
  /** What the scenario shows, in one line. */
  readonly about: string;
  readonly files: Files;
  readonly steps: readonly Step[];
}

/** Whether the provider has to be sent bytes that it does not have, whatever the host does. */
export function isRewrite(step: Step): boolean {
  switch (step.type) {
    case "turn":
      return step.agent === "reviewer" || step.model !== "anthropic" || step.system !== null;
    case "undo":
    case "compact":
    case "fork":
    case "move":
    case "tools":
    case "idle":
      return true;
    case "edit":
    case "restart":
    case "midnight":
    case "reopen":
    case "overload":
      return false;
  }
}

export function describeStep(step: Step): string {
  switch (step.type) {
    case "turn":
      return step.text + describeCircumstances(step);
    case "edit":
      return `edit of ${Object.keys(step.files).join(", ")}`;
    case "restart":
      return "restart of the host";
    case "midnight":
      return "midnight";
    case "reopen":
      return "the project is reopened";
    case "overload":
      return "the provider is overloaded";
    case "undo":
      return "undo of the last prompt";
    case "compact":
      return "compaction";
    case "fork":
      return "fork";
    case "move":
      return `move to ${step.folder || "the project's folder"}`;
    case "tools":
      return `an MCP server ${step.server}`;
    case "idle":
      return `${step.minutes} minutes of idleness`;
  }
}

const PLACES: Readonly<Record<Place, readonly string[]>> = {
  first: [],
  second: ["second project"],
  fork: ["fork"],
};

const AGENTS: Readonly<Record<Turn["agent"], readonly string[]>> = {
  build: [],
  plan: ["plan mode"],
  reviewer: ["reviewer"],
};

function describeCircumstances({ place, agent, model, system }: Turn): string {
  const said = [
    ...AGENTS[agent],
    ...(model === "anthropic" ? [] : [`${model} model`]),
    ...(system === null ? [] : ["a system text of its own"]),
    ...PLACES[place],
  ];
  return said.map((text) => ` (${text})`).join("");
}
