// Renders the brief as the text that is pushed.
import type { Brief, Section } from "./brief.ts";

const OPENING = [
  "## Stage-Aware Continuation",
  "Preserve the canonical workflow names exactly. Treat this as the authoritative resume brief for compaction continuity.",
];

const AUGMENTATION = [
  "---",
  "## Workflow-Aware Augmentation",
  "The following sections apply because this session is part of a canonical workflow. Preserve these fields for workflow continuity.",
];

/** The text that is pushed: headings and lines, one below the other. */
export function renderBrief({ generic, workflow }: Brief): string {
  const lines = [...OPENING, ...generic.flatMap(sectionLines)];
  if (workflow) lines.push(...AUGMENTATION, ...workflow.flatMap(sectionLines));
  return lines.join("\n");
}

function sectionLines({ heading, lines, omitted }: Section): readonly string[] {
  const rest = omitted > 0 ? [`- (${omitted} more left out for length)`] : [];
  return [`## ${heading}`, ...lines.map((line) => `- ${line}`), ...rest];
}
