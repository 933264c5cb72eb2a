// How much one run may take away, whatever a model says. Pure.

import type { MemoryId } from "../memory/record.ts";
import type { Said } from "./answer.ts";
import { rejection } from "./look-up.ts";
import { idsOf, type Proposal } from "./proposal.ts";
import { type Asked, type Checked, isRejection, type Rejection, type Task } from "./task.ts";

/** Of the memories that were active as the run began. */
const MOST_LOST_SHARE = 0.15;
const MOST_MERGED_SHARE = 0.5;
const ALWAYS = 3;

/** What a run has taken away so far. */
export interface Taken {
  /** Archived or superseded: their words are out of view. */
  readonly lost: number;
  /** Merged into another that has their words. */
  readonly merged: number;
}

export const nothingTaken: Taken = { lost: 0, merged: 0 };

export function takenBy(proposal: Proposal): Taken {
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

export function sumOf(one: Taken, other: Taken): Taken {
  return { lost: one.lost + other.lost, merged: one.merged + other.merged };
}

/** Each thing that a model said, checked by its task; a memory is changed once, and a run stays in its bounds. */
export function checkedWithin(
  task: Task,
  said: readonly Said[],
  asked: Asked,
  run: { readonly active: number; readonly taken: Taken },
): Checked {
  const proposals: Proposal[] = [];
  const refused: Rejection[] = [];
  const changed = new Set<MemoryId>();
  /** What others were superseded by must stay. */
  const stands = new Set<MemoryId>();
  let { taken } = run;
  for (const one of said) {
    const checked = task.check(one, asked);
    if (isRejection(checked)) {
      refused.push(checked);
      continue;
    }
    const ids = idsOf(checked);
    const next = sumOf(taken, takenBy(checked));
    const ref = asked.memories.find(({ id }) => id === ids[0])?.ref ?? "";
    const by = checked.kind === "supersede" ? [checked.by] : [];
    if ([...ids, ...by].some((id) => changed.has(id)) || ids.some((id) => stands.has(id))) {
      refused.push(rejection("twice", ref));
    } else if (isTooMuch(next, taken, run.active)) {
      refused.push(rejection("too_many", ref));
    } else {
      proposals.push(checked);
      for (const id of ids) changed.add(id);
      for (const id of by) stands.add(id);
      taken = next;
    }
  }
  return { proposals, refused };
}

function isTooMuch(next: Taken, before: Taken, active: number): boolean {
  const most = (share: number) => Math.max(ALWAYS, Math.floor(active * share));
  return (
    (next.lost > before.lost && next.lost > most(MOST_LOST_SHARE)) ||
    (next.merged > before.merged && next.merged > most(MOST_MERGED_SHARE))
  );
}
