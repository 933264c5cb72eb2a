// Limits how much one run may take away, whatever a model says. Pure.

import type { MemoryId } from "../memory/record.ts";
import type { ProposedAction } from "./answer.ts";
import { toRejection } from "./look-up.ts";
import { listChangedIds, type Proposal } from "./proposal.ts";
import { isRejection, type Rejection, type Task, type TaskInput, type TaskResult } from "./task.ts";

/** The limit is a share of the memories that were active as the run began. */
const MAX_LOST_SHARE = 0.15;
const MAX_MERGED_SHARE = 0.5;
const ALWAYS = 3;

/** Counts the memories that a run has taken away so far. */
export interface RunTotals {
  /** Archived or superseded: their words are out of view. */
  readonly lost: number;
  /** Merged into another that has their words. */
  readonly merged: number;
}

export const nothingTaken: RunTotals = { lost: 0, merged: 0 };

export function countTaken(proposal: Proposal): RunTotals {
  switch (proposal.kind) {
    case "archive":
    case "supersede":
      return { lost: 1, merged: 0 };
    case "merge":
      return { lost: 0, merged: proposal.ids.length - 1 };
    case "rewrite":
    case "checked":
    case "document":
      return nothingTaken;
  }
}

export function addTotals(one: RunTotals, other: RunTotals): RunTotals {
  return { lost: one.lost + other.lost, merged: one.merged + other.merged };
}

/** Checks each proposed action by its task; a memory is changed once, and a run stays in its bounds. */
export function checkedWithin(
  task: Task,
  said: readonly ProposedAction[],
  asked: TaskInput,
  run: { readonly active: number; readonly taken: RunTotals },
): TaskResult {
  const proposals: Proposal[] = [];
  const refused: Rejection[] = [];
  const changed = new Set<MemoryId>();
  /** Holds the memories that others were superseded by: each must stay. */
  const stands = new Set<MemoryId>();
  let { taken } = run;
  for (const one of said) {
    const checked = task.check(one, asked);
    if (isRejection(checked)) {
      refused.push(checked);
      continue;
    }
    const ids = listChangedIds(checked);
    const next = addTotals(taken, countTaken(checked));
    const ref = asked.memories.find(({ id }) => id === ids[0])?.ref ?? "";
    const by = checked.kind === "supersede" ? [checked.by] : [];
    if ([...ids, ...by].some((id) => changed.has(id)) || ids.some((id) => stands.has(id))) {
      refused.push(toRejection("twice", ref));
    } else if (isTooMuch(next, taken, run.active)) {
      refused.push(toRejection("too_many", ref));
    } else {
      proposals.push(checked);
      for (const id of ids) changed.add(id);
      for (const id of by) stands.add(id);
      taken = next;
    }
  }
  return { proposals, refused };
}

function isTooMuch(next: RunTotals, before: RunTotals, active: number): boolean {
  const most = (share: number) => Math.max(ALWAYS, Math.floor(active * share));
  return (
    (next.lost > before.lost && next.lost > most(MAX_LOST_SHARE)) ||
    (next.merged > before.merged && next.merged > most(MAX_MERGED_SHARE))
  );
}
