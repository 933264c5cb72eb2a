// Connects the historian to the project's memory: it stores facts that the model finds, and lists what is known
// already.
import * as z from "zod";
import type { FeatureContext, JobToAdd } from "../../feature-api/feature-context.ts";
import { type AnyJob, toAnyJob } from "../../feature-api/job.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { type Ref, readRef } from "../../ledger/ref.ts";
import type { Notice } from "../../log/notices.ts";
import type { Project } from "../../project/project.ts";
import { renderCount } from "../../status/wording.ts";
import type { SessionId } from "../../storage/records.ts";
import { isCandidate } from "../memory/actions.ts";
import { promoteFacts, type SourcedFact } from "../memory/promote.ts";
import { CATEGORIES, type Memory, type MemoryChange } from "../memory/record.ts";
import { memorySettings } from "../memory/settings.ts";
import { createSqliteMemoryStore } from "../memory/sqlite-store.ts";
import {
  computeRemainingAllowance,
  MAX_MEMORIES_PER_DAY,
  MAX_MEMORIES_PER_SESSION,
  type ModelStoredCounts,
} from "../memory/text.ts";
import type { Fact } from "./answer-check.ts";
import type { KnownFact } from "./request.ts";

export interface MemoryPort {
  /** Returns what the project's memory holds. */
  readonly known: () => Promise<readonly KnownFact[]>;
  /** Stores facts; a fact that is given twice is stored once. */
  readonly keep: (facts: readonly SourcedFact[], sessionId: SessionId) => Promise<void>;
  /** Returns facts that wait for a person to confirm them. */
  readonly candidates: () => Promise<readonly Fact[]>;
}

/** Splits off the changes that models may still make, and counts the rest. */
function splitByAllowance(changes: readonly MemoryChange[], stored: ModelStoredCounts) {
  let more = computeRemainingAllowance(stored);
  const kept = changes.filter(({ kind }) => {
    if (kind === "learn") more -= 1;
    return kind !== "learn" || more >= 0;
  });
  return { kept, left: changes.length - kept.length };
}

/** Omits the facts' words, because notices are also written to the log. */
function createFirstFactsNotice({ name }: Project, learnt: readonly Memory[]): Notice {
  const candidates = learnt.filter(isCandidate).length;
  const known = learnt.length - candidates;
  const said = [
    ...(known === 0 ? [] : [`${known} that you stated, which later sessions begin with`]),
    ...(candidates === 0 ? [] : [`${candidates} that no session gets until you confirm it`]),
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

const MEMORY_LIMIT_CODE = "memory_limit";

function createOverLimitNotice({ name }: Project, left: number): Notice {
  return {
    code: MEMORY_LIMIT_CODE,
    severity: "warning",
    ends: "by over",
    message: `${renderCount(left, "fact")} about ${name} ${left === 1 ? "was" : "were"} not stored: models may store ${MAX_MEMORIES_PER_SESSION} in a session and ${MAX_MEMORIES_PER_DAY} in a day.`,
    remedy: "/ctx-memory shows what is stored; add what is missing with /ctx-memory add.",
  };
}

/** The most known facts in one request. */
const MAX_KNOWN_FACTS = 60;

/** Returns null if there is no memory; facts are then discarded. */
export function createMemoryPort(context: FeatureContext): MemoryPort | null {
  const { config, database, notices, now, project } = context;
  if (!selectSettings(config, memorySettings).enabled) return null;
  const getStore = () => database.current().store(createSqliteMemoryStore);
  return {
    async known() {
      const { id } = await project.looked();
      const memories = getStore().readable(id, MAX_KNOWN_FACTS);
      return memories.map(({ category, text }) => ({ category, text }));
    },
    async candidates() {
      const { id } = await project.looked();
      const memories = getStore().list(id);
      return memories
        .filter(isCandidate)
        .map(({ category, importance, text }) => ({ category, importance, text }));
    },
    async keep(facts, sessionId) {
      const own = await project.looked();
      const before = getStore().list(own.id);
      const changes = splitByAllowance(
        promoteFacts(facts, before),
        getStore().byModels(own.id, sessionId, now()),
      );
      const by = { by: "historian", sessionId, segment: null, nowMs: now() } as const;
      const outcomes = getStore().apply(own.id, changes.kept, by);
      const isFirst = !before.some((memory) => memory.by === "historian");
      const found = outcomes.flatMap((one) => (one.kind === "done" ? [one.memory] : []));
      const learnt = found.filter(({ by: author }) => author === "historian");
      if (isFirst && learnt.length > 0) notices.mention(createFirstFactsNotice(own, learnt));
      if (changes.left > 0) notices.notice(createOverLimitNotice(own, changes.left));
      else if (changes.kept.length > 0) notices.over(MEMORY_LIMIT_CODE);
    },
  };
}

// Passes facts on to the project's memory. It is a job of its own because git may be unable to name the project now.

const FACTS_JOB_KIND = "historian-facts";

const storedSchema = z.object({
  sessionId: z.string().transform((id) => id as SessionId),
  facts: z.array(
    z.object({
      category: z.enum(CATEGORIES),
      importance: z.int(),
      text: z.string(),
      // Facts without a recorded source may be anybody's words.
      source: z.enum(["prompt", "session", "tool"]).catch("tool"),
      segment: z
        .string()
        .transform((ref): Ref | null => readRef(ref, "h"))
        .nullable()
        .catch(null),
    }),
  ),
});

/** Creates a job that calls no model. If a killed process makes it run twice, its facts are stored once. */
export function defineFactsJob(memory: MemoryPort | null): AnyJob {
  return toAnyJob({
    kind: FACTS_JOB_KIND,
    input: (input) => storedSchema.parse(input),
    async run(_model, { facts, sessionId }) {
      await memory?.keep(facts, sessionId);
      return { kind: "done", output: null };
    },
    keep: () => undefined,
  });
}

/** Creates the job for the facts of a batch; `jobId` is the batch's job. */
export function createFactsJob(
  jobId: number,
  sessionId: SessionId,
  facts: readonly SourcedFact[],
): JobToAdd {
  return {
    kind: FACTS_JOB_KIND,
    sessionId,
    key: `job ${jobId}`,
    urgency: "waits",
    input: { sessionId, facts },
    subject: null,
  };
}
