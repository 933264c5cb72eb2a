// Reads the workspace and makes the brief of this moment.
// Folder: The brief that a compaction gets about the work at hand, and the words that go on over it; pure, but for its reader and
// its room.
import { boundBrief } from "./bound.ts";
import { type Brief, type CarriedFields, renderBrief } from "./brief.ts";
import { buildBrief } from "./build.ts";
import { markdownLines } from "./markdown.ts";
import { parseNotes } from "./notes.ts";
import { type ReadBounds, WorkspaceReader } from "./reader.ts";
import { candidates, collectNamedFolders, recognise, stageHint } from "./recognise.ts";
import type { RuntimeFacts } from "./runtime-facts.ts";
import type { Workflow } from "./workflows.ts";

export interface BriefRequest {
  /** Where the session works. */
  readonly directory: string;
  readonly workflows: readonly Workflow[];
  readonly facts: RuntimeFacts;
  /** Of the session's last brief; null for the first. */
  readonly carried: CarriedFields | null;
  readonly budgetTokens: number;
  readonly bounds: ReadBounds;
  /** Any clock in milliseconds, for the time that reading may take. */
  readonly now: () => number;
}

export interface BriefResult {
  readonly brief: Brief;
  readonly text: string;
  /** Paths of the workspace that lead out of the project, and were not read. */
  readonly outside: readonly string[];
}

/** Pieces of work whose artifacts are read, of those that may be the session's. */
const READ_CANDIDATES = 5;

/** Never throws for what a workspace holds. */
export async function makeBrief(request: BriefRequest): Promise<BriefResult> {
  const { directory, workflows, facts, carried } = request;
  const reader = new WorkspaceReader(directory, request.bounds, request.now);
  const { session, agents, folders, prefix } = await reader.survey(workflows);
  const lines = markdownLines(session);
  const touched = facts.files.map(({ path }) => path);
  const hint = stageHint(lines, markdownLines(agents), workflows);
  const signs = { hint, named: collectNamedFolders(session), touched };
  const read = [];
  for (const folder of candidates(folders, signs).slice(0, READ_CANDIDATES)) {
    read.push({ folder, artifacts: await reader.artifacts(folder) });
  }
  const work = recognise(read, signs);
  const whole = buildBrief({ session: parseNotes(lines), work, facts, carried, prefix });
  const brief = boundBrief(whole, request.budgetTokens);
  return { brief, text: renderBrief(brief), outside: [...reader.outside] };
}
