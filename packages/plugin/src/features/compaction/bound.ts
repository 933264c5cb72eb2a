// Cuts a brief to its budget, least useful lines first.
import { estimateTokens } from "../../ledger/tokens.ts";
import { type Brief, renderBrief, type Section } from "./brief.ts";
import { cut, isQuoted } from "./lines.ts";

type Heading = Section["heading"];

/** Ranks the fields by what it would cost to lose their lines. */
const WORTH: Readonly<Record<Heading, number>> = {
  "Primary Objective": 100,
  "Current Step": 100,
  Status: 80,
  Completed: 35,
  Remaining: 65,
  Decisions: 60,
  "Active Files": 30,
  "Blockers / Risks": 70,
  "Next Action": 95,
  "Workflow Type": 80,
  "Canonical Workflow Stage": 100,
  "Source Artifacts": 28,
  "Current Artifact": 70,
  "Artifact Status": 70,
  "Transition Gate": 90,
  "Approved Decisions": 45,
  "Pending Decisions / Open Questions": 55,
  "Dependencies / Preconditions": 50,
  "Verification / Done Criteria": 40,
};

/** In these fields the newest lines, at the end, count most; in all others the first ones do. */
const NEWEST_LAST: ReadonlySet<Heading> = new Set<Heading>(["Completed"]);

/** If dropping lines is not enough, lines are cut to these lengths in turn, in UTF-16 units. */
const LAST_RESORTS = [200, 100, 50, 24];

/** Cuts the brief to the budget: the least useful lines are dropped first, and each field keeps one. */
export function boundBrief(brief: Brief, budgetTokens: number): Brief {
  const excess = estimateTokens(renderBrief(brief)) - budgetTokens;
  if (excess <= 0) return brief;
  const dropped = leastUseful(brief, excess);
  const shorter = withoutLines(brief, dropped);
  let bounded = shorter;
  for (const limit of LAST_RESORTS) {
    if (estimateTokens(renderBrief(bounded)) <= budgetTokens) return bounded;
    bounded = withLinesCut(shorter, limit);
  }
  return bounded;
}

interface Candidate {
  readonly heading: Heading;
  readonly line: string;
  readonly worth: number;
}

/** The tokens that the note about omitted lines takes. */
const NOTE_TOKENS = 10;

function leastUseful(brief: Brief, excess: number): ReadonlyMap<Heading, ReadonlySet<string>> {
  const candidates = [...brief.generic, ...(brief.workflow ?? [])]
    .flatMap(listCandidates)
    .sort((left, right) => left.worth - right.worth);
  const dropped = new Map<Heading, Set<string>>();
  let left = excess;
  for (const { heading, line } of candidates) {
    if (left <= 0) break;
    const lines = dropped.get(heading) ?? new Set<string>();
    if (lines.size === 0) left += NOTE_TOKENS;
    dropped.set(heading, lines.add(line));
    // Counts one token less than a line may save, as counts are rounded.
    left -= Math.max(estimateTokens(`- ${line}\n`) - 1, 0);
  }
  return dropped;
}

function listCandidates({ heading, lines }: Section): readonly Candidate[] {
  const ranked = NEWEST_LAST.has(heading) ? lines.toReversed() : lines;
  return ranked.slice(1).map((line, index) => ({
    heading,
    line,
    worth: isQuoted(line) ? 0 : WORTH[heading] / (index + 2),
  }));
}

function withoutLines(brief: Brief, dropped: ReadonlyMap<Heading, ReadonlySet<string>>): Brief {
  return mapSections(brief, (section) => {
    const gone = dropped.get(section.heading);
    if (!gone) return section;
    const lines = section.lines.filter((line) => !gone.has(line));
    return { ...section, lines, omitted: section.lines.length - lines.length };
  });
}

function withLinesCut(brief: Brief, limit: number): Brief {
  return mapSections(brief, (section) =>
    section.heading === "Canonical Workflow Stage"
      ? section
      : { ...section, lines: section.lines.map((line) => cut(line, limit)) },
  );
}

function mapSections(brief: Brief, change: (section: Section) => Section): Brief {
  return {
    ...brief,
    generic: brief.generic.map(change),
    workflow: brief.workflow?.map(change) ?? null,
  };
}
