// Where facts go that the model gives, and what it needn't give again.
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import type { Notice } from "../../log/notices.ts";
import type { Project } from "../../project/project.ts";
import { counted } from "../../status/wording.ts";
import type { SessionId } from "../../storage/records.ts";
import { isCandidate } from "../memory/actions.ts";
import {
  allowance,
  MAX_PER_DAY,
  MAX_PER_SESSION,
  type StoredByModels,
} from "../memory/allowance.ts";
import { promote, type SourcedFact } from "../memory/promote.ts";
import type { Memory, MemoryChange } from "../memory/record.ts";
import { memorySettings } from "../memory/settings.ts";
import { sqliteMemoryStore } from "../memory/sqlite-store.ts";
import type { Fact } from "./answer-check.ts";
import type { KnownFact } from "./request.ts";

export interface MemoryPort {
  /** What the project's memory holds. */
  readonly known: () => Promise<readonly KnownFact[]>;
  /** The same facts twice are stored once. */
  readonly keep: (facts: readonly SourcedFact[], sessionId: SessionId) => Promise<void>;
  /** What waits for a person's word. */
  readonly candidates: () => Promise<readonly Fact[]>;
}

/** The changes that models may still make, and how many they may not. */
function allowed(changes: readonly MemoryChange[], stored: StoredByModels) {
  let more = allowance(stored);
  const kept = changes.filter(({ kind }) => {
    if (kind === "learn") more -= 1;
    return kind !== "learn" || more >= 0;
  });
  return { kept, left: changes.length - kept.length };
}

/** Without their words: notices are in the log. */
function firstFacts({ name }: Project, learnt: readonly Memory[]): Notice {
  const candidates = learnt.filter(isCandidate).length;
  const known = learnt.length - candidates;
  const said = [
    ...(known === 0 ? [] : [`${known} that you said, which later sessions begin with`]),
    ...(candidates === 0 ? [] : [`${candidates} that nobody gets until you confirm it`]),
  ];
  const kinds = [...new Set(learnt.map(({ category }) => category))].join(", ");
  return {
    code: "memory_first_facts",
    severity: "info",
    message: `The historian has found its first facts about ${name} (${kinds}): ${said.join(", and ")}.`,
    remedy:
      '/ctx-memory shows them; "memory": { "enabled": false } in session-runtime.jsonc turns memory off.',
  };
}

const LIMIT = "memory_limit";

function overLimit({ name }: Project, left: number): Notice {
  return {
    code: LIMIT,
    severity: "warning",
    ends: "by over",
    message: `${counted(left, "fact")} about ${name} ${left === 1 ? "was" : "were"} not stored: models may store ${MAX_PER_SESSION} in a session and ${MAX_PER_DAY} in a day.`,
    remedy: "/ctx-memory shows what is stored; add what is missing with /ctx-memory add.",
  };
}

/** So many are in a request. */
const MAX_KNOWN = 60;

/** Null: there is no memory, and facts are forgotten. */
export function createMemoryPort(context: FeatureContext): MemoryPort | null {
  const { config, database, notices, now, project } = context;
  if (!selectSettings(config, memorySettings).enabled) return null;
  const store = () => database.current().store(sqliteMemoryStore);
  return {
    async known() {
      const { id } = await project.looked();
      const memories = store().readable(id, MAX_KNOWN);
      return memories.map(({ category, text }) => ({ category, text }));
    },
    async candidates() {
      const { id } = await project.looked();
      const memories = store().list(id);
      return memories
        .filter(isCandidate)
        .map(({ category, importance, text }) => ({ category, importance, text }));
    },
    async keep(facts, sessionId) {
      const own = await project.looked();
      const before = store().list(own.id);
      const changes = allowed(promote(facts, before), store().byModels(own.id, sessionId, now()));
      const by = { by: "historian", sessionId, segment: null, nowMs: now() } as const;
      const outcomes = store().apply(own.id, changes.kept, by);
      const isFirst = !before.some((memory) => memory.by === "historian");
      const found = outcomes.flatMap((one) => (one.kind === "done" ? [one.memory] : []));
      const learnt = found.filter(({ by: author }) => author === "historian");
      if (isFirst && learnt.length > 0) notices.mention(firstFacts(own, learnt));
      if (changes.left > 0) notices.notice(overLimit(own, changes.left));
      else if (changes.kept.length > 0) notices.over(LIMIT);
    },
  };
}
