// The headings and sections of a brief, and the essentials that must survive.

/** The sections of a brief, in order; their names are the contract's. */
export const GENERIC_HEADINGS = [
  "Primary Objective",
  "Current Step",
  "Status",
  "Completed",
  "Remaining",
  "Decisions",
  "Active Files",
  "Blockers / Risks",
  "Next Action",
] as const;

export const WORKFLOW_HEADINGS = [
  "Workflow Type",
  "Canonical Workflow Stage",
  "Source Artifacts",
  "Current Artifact",
  "Artifact Status",
  "Transition Gate",
  "Approved Decisions",
  "Pending Decisions / Open Questions",
  "Dependencies / Preconditions",
  "Verification / Done Criteria",
] as const;

export type GenericHeading = (typeof GENERIC_HEADINGS)[number];
export type WorkflowHeading = (typeof WORKFLOW_HEADINGS)[number];
export type Heading = GenericHeading | WorkflowHeading;

/** A field of the brief: its lines, each inert, the most useful ones at the end that bounding keeps. */
export interface Section {
  readonly heading: Heading;
  readonly lines: readonly string[];
  /** How many lines were left out for length. */
  readonly omitted: number;
}

/** What must not get lost in a compaction; null where there is none. */
export interface Essentials {
  readonly stage: string | null;
  readonly step: string | null;
  readonly nextAction: string | null;
  readonly gate: string | null;
}

/** What goes on from one brief to the next until the files say otherwise. */
export interface CarriedFields {
  readonly objective: string | null;
  readonly decisions: readonly string[];
}

/** A session's work as a compaction is told of it. */
export interface Brief {
  /** All nine, in order. */
  readonly generic: readonly Section[];
  /** Those that have something; null outside of a workflow. */
  readonly workflow: readonly Section[] | null;
  readonly essentials: Essentials;
  readonly carried: CarriedFields;
}

/** What a generic field says where nothing is known. */
export const NONE_RECORDED = "none recorded";
