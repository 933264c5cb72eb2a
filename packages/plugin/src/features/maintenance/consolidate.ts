// Defines the consolidate task: a fact stated several times becomes one, and of two contradictory facts the
// newer stays.
import type { Memory } from "../memory/record.ts";
import type { ProposedAction } from "./answer.ts";
import {
  areInSameGroup,
  type Batch,
  composeQuestion,
  findMemories,
  findMemory,
  type ProjectState,
  type Proposal,
  type Rejection,
  renderMemory,
  renderSection,
  type Task,
  type TaskInput,
  toRejection,
  toStorableText,
} from "./task.ts";
import {
  collectWords,
  computeKeptShare,
  extractSubstance,
  type FactSubstance,
  listMissingTokens,
  measureSimilarity,
} from "./wording-guard.ts";

// Groups memories that may be about the same thing. Pure and deterministic.

/** Two memories with at least this share of common words are shown together. */
const MIN_SIMILARITY = 0.5;
const MAX_GROUP_SIZE = 8;
/** A word that occurs in more memories than this says nothing about which of them belong together. */
const COMMON_WORD_SHARE = 0.1;
const MIN_COMMON_WORDS = 12;

/** Groups the most similar memories first; a memory belongs to one group at most. */
export function groupSimilar(memories: readonly Memory[]): readonly (readonly Memory[])[] {
  const known = memories.map((memory) => ({ memory, substance: extractSubstance(memory.text) }));
  const groups = known.map((_, at) => [at]);
  const groupAt = known.map((_, at) => at);
  for (const { one, other } of findSimilarPairs(known.map(({ substance }) => substance))) {
    const [left = 0, right = 0] = [groupAt[one], groupAt[other]];
    const [into, from] = [groups[left] ?? [], groups[right] ?? []];
    if (left === right || into.length + from.length > MAX_GROUP_SIZE) continue;
    into.push(...from);
    for (const at of from) groupAt[at] = left;
    groups[right] = [];
  }
  return groups
    .filter(({ length }) => length > 1)
    .map((group) => group.toSorted((a, b) => a - b).flatMap((at) => memories[at] ?? []));
}

interface Pair {
  readonly one: number;
  readonly other: number;
  readonly share: number;
}

/** Compares only memories that share a distinctive word: comparing all pairs would take too long. */
function findSimilarPairs(substances: readonly FactSubstance[]): readonly Pair[] {
  const most = Math.max(MIN_COMMON_WORDS, substances.length * COMMON_WORD_SHARE);
  const byWord = new Map<string, number[]>();
  substances.forEach((substance, at) => {
    for (const word of collectWords(substance)) byWord.set(word, [...(byWord.get(word) ?? []), at]);
  });
  const seen = new Set<string>();
  const pairs: Pair[] = [];
  for (const places of byWord.values()) {
    if (places.length > most) continue;
    for (const [rank, one] of places.entries()) {
      for (const other of places.slice(rank + 1)) {
        const key = `${one} ${other}`;
        if (seen.has(key)) continue;
        seen.add(key);
        const [a, b] = [substances[one], substances[other]];
        const share = a && b ? measureSimilarity(a, b) : 0;
        if (share >= MIN_SIMILARITY) pairs.push({ one, other, share });
      }
    }
  }
  return pairs.toSorted((a, b) => b.share - a.share || a.one - b.one || a.other - b.other);
}

const MAX_BATCH_MEMORIES = 40;

/** The least share of each memory's words that must be in the memory that replaces it. */
const MIN_KEPT_WORD_SHARE = 0.5;

export const consolidateTask: Task = {
  name: "consolidate",
  inspect: findBatches,
  question: ({ memories, groups, nowMs }) =>
    composeQuestion(CONSOLIDATE_PROMPT, [
      renderSection(
        "groups",
        groups.map((group) =>
          memories.filter(({ id }) => group.includes(id)).map((one) => renderMemory(one, nowMs)),
        ),
      ),
    ]),
  check: checkAction,
};

const CONSOLIDATE_PROMPT = `Each line below is a group of memories that use the same words. Many groups need nothing: facts that only sound alike stay apart.
- Where memories of a group say the same, merge them: {"do": "merge", "refs": ["m:…", "m:…"], "text": "…", "why": "…"}. The text is that of the best one, word for word if it holds all; else it has every name, number, path and value of all of them, and nothing besides.
- Where two contradict each other, the newer one usually holds: {"do": "supersede", "ref": "the wrong one", "by": "the right one", "why": "…"}.`;

function findBatches({ memories, fresh }: ProjectState): readonly Batch[] {
  const groups = groupSimilar(memories).filter((group) => group.some(({ id }) => !fresh.has(id)));
  const batches: Memory[][][] = [];
  for (const group of groups) {
    const last = batches.at(-1);
    if (last && last.flat().length + group.length <= MAX_BATCH_MEMORIES) last.push([...group]);
    else batches.push([[...group]]);
  }
  return batches.map((batch) => ({
    memories: batch.flat(),
    groups: batch.map((group) => group.map(({ id }) => id)),
    paths: [],
  }));
}

function checkAction(said: ProposedAction, asked: TaskInput): Proposal | Rejection {
  switch (said.do) {
    case "merge":
      return mergeGroup(said, asked);
    case "supersede":
      return supersedeGroup(said, asked);
    case "archive":
    case "rewrite":
    case "checked":
    case "document":
      return toRejection("not_of_this_task", "ref" in said ? said.ref : "");
  }
}

function mergeGroup(
  said: Extract<ProposedAction, { do: "merge" }>,
  asked: TaskInput,
): Proposal | Rejection {
  const [named = ""] = said.refs;
  const memories = findMemories(asked, said.refs);
  if (memories === null) return toRejection("unknown_memory", named);
  const ids = memories.map(({ id }) => id);
  if (!areInSameGroup(asked, ids)) return toRejection("not_alike", named);
  const text = toStorableText(said.text, named);
  if (typeof text !== "string") return text;
  const kept = memories.find(({ permanence }) => permanence === "permanent");
  if (kept && kept.text !== text) return toRejection("permanent", kept.ref);
  const substance = extractSubstance(text);
  const all = memories.map((memory) => extractSubstance(memory.text));
  const originalDistinctive = new Set(all.flatMap((one) => [...one.distinctive]));
  const stems = new Set(all.flatMap((one) => one.stems));
  if (listMissingTokens(originalDistinctive, substance.distinctive).length > 0)
    return toRejection("loses", named);
  if (all.some((one) => computeKeptShare(one, substance) < MIN_KEPT_WORD_SHARE))
    return toRejection("loses", named);
  const inventedTokens = [
    ...listMissingTokens(substance.distinctive, originalDistinctive),
    ...listMissingTokens(substance.stems, stems),
  ];
  if (inventedTokens.length > 0) return toRejection("invents", named);
  return { kind: "merge", ids, text, why: said.why };
}

function supersedeGroup(
  said: Extract<ProposedAction, { do: "supersede" }>,
  asked: TaskInput,
): Proposal | Rejection {
  const [wrong, right] = [findMemory(asked, said.ref), findMemory(asked, said.by)];
  if (!wrong || !right || wrong === right) return toRejection("unknown_memory", said.ref);
  if (wrong.permanence === "permanent") return toRejection("permanent", wrong.ref);
  const alike = measureSimilarity(extractSubstance(wrong.text), extractSubstance(right.text));
  if (!areInSameGroup(asked, [wrong.id, right.id]) || alike < MIN_SIMILARITY) {
    return toRejection("not_alike", wrong.ref);
  }
  if (right.checkedAtMs < wrong.checkedAtMs) return toRejection("older_stands", wrong.ref);
  return { kind: "supersede", id: wrong.id, by: right.id, why: said.why };
}
