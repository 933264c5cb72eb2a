// Reads the workspace and makes a brief of the current work.
// Folder: The brief that a compaction gets about the current work, and the session's words that are carried over it;
// pure, except for its reader and its feature.
import { estimateTokens } from "../../ledger/tokens.ts";
import type { CommandReport } from "../../status/report.ts";
import { formatAgo, formatCount } from "../../status/wording.ts";
import type { BriefRecord } from "../../storage/brief-store.ts";
import type { SessionId } from "../../storage/records.ts";
import { type Brief, boundBrief, type CarriedFields, renderBrief } from "./brief.ts";
import { buildBrief } from "./build.ts";
import { parseMarkdownLines } from "./markdown.ts";
import { parseNotes } from "./notes.ts";
import { type ReadBounds, WorkspaceReader } from "./reader.ts";
import { createNameLookup, findStageHint, listCandidates, recogniseWork } from "./recognise.ts";
import type { RuntimeFacts } from "./runtime-facts.ts";
import type { Workflow } from "./workflows.ts";

export interface BriefRequest {
  /** The directory in which the session works. */
  readonly directory: string;
  readonly workflows: readonly Workflow[];
  readonly facts: RuntimeFacts;
  /** The fields that the session's last brief passes on; null for the first brief. */
  readonly carried: CarriedFields | null;
  readonly budgetTokens: number;
  readonly bounds: ReadBounds;
  /** Returns milliseconds since an arbitrary moment, to limit the time for reading. */
  readonly now: () => number;
}

export interface BriefResult {
  readonly brief: Brief;
  readonly text: string;
  /** Paths of the workspace that were not read because they lead out of the project. */
  readonly outside: readonly string[];
}

/** The most candidates for the session's work whose artifacts are read. */
const MAX_READ_CANDIDATES = 5;

/** Makes the brief. Never throws, whatever the workspace contains. */
export async function makeBrief(request: BriefRequest): Promise<BriefResult> {
  const { directory, workflows, facts, carried } = request;
  const reader = new WorkspaceReader(directory, request.bounds, request.now);
  const { session, agents, folders, prefix } = await reader.survey(workflows);
  const lines = parseMarkdownLines(session);
  const touched = facts.files.map(({ path }) => path);
  const hint = findStageHint(lines, parseMarkdownLines(agents), workflows);
  const signs = { hint, named: createNameLookup(session), touched };
  const read = [];
  for (const folder of listCandidates(folders, signs).slice(0, MAX_READ_CANDIDATES)) {
    read.push({ folder, artifacts: await reader.readArtifacts(folder) });
  }
  const work = recogniseWork(read, signs);
  const whole = buildBrief({ sessionNotes: parseNotes(lines), work, facts, carried, prefix });
  const brief = boundBrief(whole, request.budgetTokens);
  return { brief, text: renderBrief(brief), outside: [...reader.outside] };
}

// Renders the report of /ctx-brief.

/** Holds the brief as it would be pushed now, and the last one that was pushed. */
export interface BriefPreview {
  readonly made: BriefResult;
  readonly last: BriefRecord | null;
}

/** Renders the brief as it would be pushed now. Nothing is stored. */
export async function renderBriefReport(
  /** The previews of briefs; null if briefs are switched off. */
  briefs: { readonly preview: (sessionId: SessionId) => Promise<BriefPreview> } | null,
  sessionId: SessionId,
): Promise<CommandReport> {
  if (!briefs) {
    const text = "Session Runtime: continuity.enabled is false, so compactions get no brief.";
    return { text, summary: text };
  }
  const { made, last } = await briefs.preview(sessionId);
  const tokens = formatCount(estimateTokens(made.text));
  const stage = made.brief.essentials.stage;
  const at = stage === null ? "no workflow recognised" : `in ${stage}`;
  const lastBriefNote =
    last === null
      ? "No compaction of this session has had a brief yet."
      : `The last one had a brief of about ${formatCount(estimateTokens(last.text))} tokens, ${formatAgo(last.madeAtMs, Date.now())}.`;
  return {
    text: `Session Runtime: a compaction now would get this brief (about ${tokens} tokens, ${at}). ${lastBriefNote}\n\n${made.text}`,
    summary: `a compaction now would get a brief of about ${tokens} tokens, ${at}.`,
  };
}
