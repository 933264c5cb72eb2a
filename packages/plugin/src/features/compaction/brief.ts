// Defines a brief: its headings and sections, the lines that must not get lost, and the text that is sent.

/** The sections, in order; the contract fixes their names. */
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

/** Holds a field of the brief with its neutralized lines. The most useful ones are at the end that bounding keeps. */
export interface Section {
  readonly heading: GenericHeading | WorkflowHeading;
  readonly lines: readonly string[];
  /** The number of lines that were left out for length. */
  readonly omitted: number;
}

/** Holds the lines that a compaction must not lose; each is null if there is none. */
export interface Essentials {
  readonly stage: string | null;
  readonly step: string | null;
  readonly nextAction: string | null;
  readonly gate: string | null;
}

/** Holds what each brief passes on to the next until the files state otherwise. */
export interface CarriedFields {
  readonly objective: string | null;
  readonly decisions: readonly string[];
}

/** Describes a session's work as a compaction receives it. */
export interface Brief {
  /** `files` are notes and artifacts that people keep; `session` is the session's history alone. */
  readonly source: "files" | "session";
  /** All nine, in order. */
  readonly generic: readonly Section[];
  /** Only sections that have lines; null outside a workflow. */
  readonly workflow: readonly Section[] | null;
  readonly essentials: Essentials;
  readonly carried: CarriedFields;
}

/** The line of a generic field about which nothing is known. */
export const NONE_RECORDED = "none recorded";

const TITLE = "## Stage-Aware Continuation";

/** Text above the fields: only files that people keep have authority. */
const OPENING: Readonly<Record<Brief["source"], string>> = {
  files:
    "Preserve the canonical workflow names exactly. Treat this as the authoritative resume brief for compaction continuity.",
  session:
    "Gathered from the session's own history. Where the conversation says otherwise, the conversation is right.",
};

const AUGMENTATION = [
  "---",
  "## Workflow-Aware Augmentation",
  "The following sections apply because this session is part of a canonical workflow. Preserve these fields for workflow continuity.",
];

/** Renders the text that is sent; without files it omits the fields about which nothing is known. */
export function renderBrief({ source, generic, workflow }: Brief): string {
  const known = generic.filter(({ lines }) => lines[0] !== NONE_RECORDED);
  const shown = source === "session" && known.length > 0 ? known : generic;
  const lines = [TITLE, OPENING[source], ...shown.flatMap(sectionLines)];
  if (workflow) lines.push(...AUGMENTATION, ...workflow.flatMap(sectionLines));
  return lines.join("\n");
}

function sectionLines({ heading, lines, omitted }: Section): readonly string[] {
  const rest = omitted > 0 ? [`- (${omitted} more left out for length)`] : [];
  return [`## ${heading}`, ...lines.map((line) => `- ${line}`), ...rest];
}

/**
 * Renders a compaction prompt that replaces the host's. The host adds the conversation after it and leaves out an
 * earlier summary, so the prompt has to contain that summary.
 */
export function replacementPrompt(brief: string, previousSummary: string | null): string {
  const earlier =
    "An earlier part of the session was compacted before. Its summary; keep what still holds:";
  return [
    "Summarize the conversation below so that another agent can take the work over from your summary alone.",
    "State, each under a heading of its own: the objective; the workflow stage and its gate, by their exact names; what is done; what is in progress; what remains; decisions with their reasons; files that matter, with paths; blockers; the next action. Keep paths, commands, names and error messages as they are. Where the conversation is newer than the brief, the conversation is right. Answer with the summary only; do not go on with the work.",
    ...(previousSummary === null ? [] : [earlier, previousSummary]),
    "The state of the work, from its files and the session:",
    brief,
  ].join("\n\n");
}
