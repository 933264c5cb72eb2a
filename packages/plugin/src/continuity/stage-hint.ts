// The workflow stage that SESSION.md or AGENTS.md names last.
import { partsInTime } from "./notes.ts";
import { outline } from "./outline.ts";
import type { Stage, Workflow } from "./workflows.ts";

/** The stage that the session's own words name. */
export interface StageHint {
  readonly workflow: Workflow;
  readonly stage: Stage;
  /** SESSION.md says where the work is; AGENTS.md may merely describe how work is done. */
  readonly from: "session" | "agents";
}

export interface HintTexts {
  readonly session: string;
  readonly agents: string;
}

/** The latest mention of a stage: SESSION.md, the later word, before AGENTS.md. */
export function stageHint(texts: HintTexts, workflows: readonly Workflow[]): StageHint | null {
  const session = mentions(texts.session, workflows).at(-1);
  if (session) return { ...session, from: "session" };
  const agents = mentions(texts.agents, workflows);
  const latest = agents.at(-1);
  if (!latest) return null;
  // A page that goes through the stages describes the workflow, and says nothing of this session.
  const named = new Set(
    agents.filter(({ workflow }) => workflow === latest.workflow).map(({ stage }) => stage.name),
  );
  return named.size > 2 ? null : { ...latest, from: "agents" };
}

export interface Mention {
  readonly workflow: Workflow;
  readonly stage: Stage;
}

const ARROW = /->|=>|→|➜|»/;

/** Every mention in the order of time; a line that draws the whole way is none. */
export function mentions(text: string, workflows: readonly Workflow[]): readonly Mention[] {
  const table = new Map(
    workflows.flatMap((workflow) =>
      workflow.stages.map((stage) => [stage.name.toLowerCase(), { workflow, stage }] as const),
    ),
  );
  if (table.size === 0) return [];
  const names = [...table.keys()].sort((left, right) => right.length - left.length).map(escaped);
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}_-])(?:${names.join("|")})(?![\\p{L}\\p{N}_-])`,
    "giu",
  );
  // The engine compiles this one, and most lines of most files end here.
  const likely = new RegExp(names.join("|"), "i");
  return partsInTime(outline(text)).flatMap((part) =>
    part.flatMap((line) =>
      line.kind === "blank" || !likely.test(line.text) ? [] : mentionsIn(line.text, pattern, table),
    ),
  );
}

function mentionsIn(
  line: string,
  pattern: RegExp,
  table: ReadonlyMap<string, Mention>,
): readonly Mention[] {
  const found = [...line.matchAll(pattern)].flatMap(
    ([name]) => table.get(name.toLowerCase()) ?? [],
  );
  const distinct = new Set(found.map(({ stage }) => stage.name));
  return distinct.size > 2 && ARROW.test(line) ? [] : found;
}

function escaped(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
