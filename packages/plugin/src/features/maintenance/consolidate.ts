// Consolidate: one fact that is said several times becomes one, and of two that contradict the newer stands.
import type { Memory } from "../memory/record.ts";
import type { ProposedAction } from "./answer.ts";
import { ALIKE, groupSimilar } from "./groups.ts";
import { areInOneGroup, memoriesNamed, memoryNamed, toRejection, toStorable } from "./look-up.ts";
import type { Proposal } from "./proposal.ts";
import { composeQuestion, section, shownMemory } from "./source-texts.ts";
import type { Batch, ProjectState, Rejection, Task, TaskInput } from "./task.ts";
import { extractSubstance, listMissing, measureLikeness, shareKept } from "./wording-guard.ts";

const MAX_MEMORIES = 40;

/** The memory that replaces others has at least this share of each one's words. */
const KEPT_SHARE = 0.5;

export const consolidate: Task = {
  name: "consolidate",
  inspect: look,
  question: ({ memories, groups, nowMs }) =>
    composeQuestion(TASK, [
      section(
        "groups",
        groups.map((group) =>
          memories.filter(({ id }) => group.includes(id)).map((one) => shownMemory(one, nowMs)),
        ),
      ),
    ]),
  check,
};

const TASK = `Each line below is a group of memories that use the same words. Many groups need nothing: facts that only sound alike stay apart.
- Where memories of a group say the same, merge them: {"do": "merge", "refs": ["m:…", "m:…"], "text": "…", "why": "…"}. The text is that of the best one, word for word if it holds all; else it has every name, number, path and value of all of them, and nothing besides.
- Where two contradict each other, the newer one usually holds: {"do": "supersede", "ref": "the wrong one", "by": "the right one", "why": "…"}.`;

function look({ memories, fresh }: ProjectState): readonly Batch[] {
  const groups = groupSimilar(memories).filter((group) => group.some(({ id }) => !fresh.has(id)));
  const batches: Memory[][][] = [];
  for (const group of groups) {
    const last = batches.at(-1);
    if (last && last.flat().length + group.length <= MAX_MEMORIES) last.push([...group]);
    else batches.push([[...group]]);
  }
  return batches.map((batch) => ({
    memories: batch.flat(),
    groups: batch.map((group) => group.map(({ id }) => id)),
    paths: [],
  }));
}

function check(said: ProposedAction, asked: TaskInput): Proposal | Rejection {
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
  const memories = memoriesNamed(asked, said.refs);
  if (memories === null) return toRejection("unknown_memory", named);
  const ids = memories.map(({ id }) => id);
  if (!areInOneGroup(asked, ids)) return toRejection("not_alike", named);
  const text = toStorable(said.text, named);
  if (typeof text !== "string") return text;
  const kept = memories.find(({ permanence }) => permanence === "permanent");
  if (kept && kept.text !== text) return toRejection("permanent", kept.ref);
  const substance = extractSubstance(text);
  const all = memories.map((memory) => extractSubstance(memory.text));
  const telling = new Set(all.flatMap((one) => [...one.distinctive]));
  const stems = new Set(all.flatMap((one) => one.stems));
  if (listMissing(telling, substance.distinctive).length > 0) return toRejection("loses", named);
  if (all.some((one) => shareKept(one, substance) < KEPT_SHARE)) return toRejection("loses", named);
  const more = [
    ...listMissing(substance.distinctive, telling),
    ...listMissing(substance.stems, stems),
  ];
  if (more.length > 0) return toRejection("invents", named);
  return { kind: "merge", ids, text, why: said.why };
}

function supersedeGroup(
  said: Extract<ProposedAction, { do: "supersede" }>,
  asked: TaskInput,
): Proposal | Rejection {
  const [wrong, right] = [memoryNamed(asked, said.ref), memoryNamed(asked, said.by)];
  if (!wrong || !right || wrong === right) return toRejection("unknown_memory", said.ref);
  if (wrong.permanence === "permanent") return toRejection("permanent", wrong.ref);
  const alike = measureLikeness(extractSubstance(wrong.text), extractSubstance(right.text));
  if (!areInOneGroup(asked, [wrong.id, right.id]) || alike < ALIKE) {
    return toRejection("not_alike", wrong.ref);
  }
  if (right.checkedAtMs < wrong.checkedAtMs) return toRejection("older_stands", wrong.ref);
  return { kind: "supersede", id: wrong.id, by: right.id, why: said.why };
}
