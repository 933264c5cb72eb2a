// Carries out the changes that memory's tools and commands ask for, and describes their results.
import { toSingleLine } from "../../context/frames.ts";
import { UserFacingError } from "../../feature-api/user-facing-error.ts";
import { readRef } from "../../ledger/ref.ts";
import type { Project } from "../../project/project.ts";
import { findExistingMemory } from "./promote.ts";
import {
  type Category,
  type ChangeContext,
  MAX_MODEL_IMPORTANCE,
  type Memory,
  type MemoryChange,
  type MemoryContent,
} from "./record.ts";
import type { MemoryStore } from "./sqlite-store.ts";
import {
  computeRemainingAllowance,
  MAX_MEMORIES_PER_DAY,
  MAX_MEMORIES_PER_SESSION,
  MAX_MEMORY_CHARS,
  toStorableText,
} from "./text.ts";

/** The default importance of memories that a model writes by itself, and of those that a person writes. */
export const MAX_IMPORTANCE = { model: MAX_MODEL_IMPORTANCE, user: 70 } as const;

const NUMBER_HINT = "Name a memory by its number, such as 3; a list shows them.";
const REF_HINT = "Name a memory by its ref, such as m:k3f9ab; a list shows them.";

/** The result of a change. */
export type ChangeResult =
  | { readonly kind: "stored" | "updated" | "restored" | "stands"; readonly memory: Memory }
  /** A memory says the same already: it now has the person's words (`taken`) or keeps its own (`kept`). */
  | { readonly kind: "known"; readonly memory: Memory; readonly words: "taken" | "kept" }
  /** The memory `into` already says the same, so `memory` was merged into it. */
  | { readonly kind: "merged into"; readonly memory: Memory; readonly into: Memory }
  | { readonly kind: "merged"; readonly memory: Memory; readonly of: readonly Memory[] }
  | { readonly kind: "archived" | "confirmed" | "deleted"; readonly memories: readonly Memory[] };

/** Changes a project's memories on behalf of a model or a person. */
export class MemoryActions {
  constructor(
    private readonly store: MemoryStore,
    private readonly project: Project,
    private readonly by: ChangeContext,
  ) {}

  /**
   * Reads everything that lists show: memories in any state, shared ones of the workspace, and open notes.
   */
  listKnown() {
    const { store, project } = this;
    const memories = store.list(project.id);
    const readable = store.readable(project.id, Number.MAX_SAFE_INTEGER);
    const shared = readable.filter(({ sharedBy }) => sharedBy !== null);
    const notes = store.openNotes(project.id, this.by.sessionId);
    const apart = store.keptApart(project.id);
    return { project, memories, members: store.members(project.id), shared, notes, apart };
  }

  /** Finds a memory, and the team member who gave it its present form. @throws UserFacingError */
  show(written: string) {
    const memory = this.find(written);
    const members = this.store.members(this.project.id);
    return { memory, member: members.get(memory.id) ?? null };
  }

  /** Joins this clone with the project that has its first commit. @throws UserFacingError */
  join(): void {
    switch (this.store.joinFork(this.project.id)) {
      case "joined":
        return;
      case "held":
        throw new UserFacingError(
          "This clone shares its memories with a team, under the clone's own name, so they can't be joined. Export them here and import them in the other clone.",
        );
      case "not apart":
        throw new UserFacingError(
          "There is nothing to join: no project's memories are kept apart from this clone's.",
        );
    }
  }

  /** @throws UserFacingError */
  write(wording: MemoryContent): ChangeResult {
    const text = toStorableText(wording.text, MAX_MEMORY_CHARS);
    const active = this.store.list(this.project.id).filter(isActive);
    const known = findExistingMemory(text, active);
    if (known && this.by.by === "user" && known.source !== "user") {
      const importance = Math.max(known.importance, wording.importance);
      this.#apply({ kind: "edit", id: known.id, wording: { text, importance } });
      return { kind: "known", memory: known, words: "taken" };
    }
    if (known) {
      this.#apply({ kind: "confirm", id: known.id, importance: wording.importance });
      return { kind: "known", memory: known, words: "kept" };
    }
    if (this.#isModel) this.#checkAllowance();
    const { memory } = this.#apply({ kind: "add", wording: { ...wording, text } });
    return { kind: "stored", memory };
  }

  /** @throws UserFacingError */
  edit(written: string, wording: Partial<MemoryContent>): ChangeResult {
    const memory = this.find(written);
    const text =
      wording.text === undefined ? {} : { text: toStorableText(wording.text, MAX_MEMORY_CHARS) };
    const importance = this.#clampImportance(wording.importance ?? memory.importance);
    const outcome = this.#apply({
      kind: "edit",
      id: memory.id,
      wording: { ...wording, ...text, importance },
    });
    return outcome.kind === "known"
      ? { kind: "merged into", memory, into: outcome.memory }
      : { kind: "updated", memory };
  }

  /** @throws UserFacingError */
  archive(written: string): ChangeResult {
    const memories = this.findAll(written);
    for (const { id } of memories) this.#apply({ kind: "archive", id });
    return { kind: "archived", memories };
  }

  /** Confirms candidates that a model has found, so that sessions get them. @throws UserFacingError */
  confirm(written: string): ChangeResult {
    const memories =
      written.trim().toLowerCase() === "all"
        ? this.store.list(this.project.id).filter(isCandidate)
        : this.findAll(written);
    const other = memories.find((memory) => !isCandidate(memory));
    if (other) {
      throw new UserFacingError(
        `Memory ${formatMemoryName(other)} is ${other.state.kind}, not a candidate.`,
      );
    }
    if (memories.length === 0) throw new UserFacingError("There are no candidates.");
    for (const { id } of memories) this.#apply({ kind: "restore", id });
    return { kind: "confirmed", memories };
  }

  /** @throws UserFacingError */
  restore(written: string): ChangeResult {
    const memory = this.find(written);
    const outcome = this.#apply({ kind: "restore", id: memory.id });
    return outcome.kind === "known"
      ? { kind: "stands", memory: outcome.memory }
      : { kind: "restored", memory };
  }

  /** @throws UserFacingError */
  merge(written: string, said: Pick<MemoryContent, "text"> & Partial<MemoryContent>): ChangeResult {
    const memories = this.findAll(written);
    const [first] = memories;
    if (!first || memories.length < 2)
      throw new UserFacingError("Name the memories to merge, two or more.");
    const { category, permanence } = first;
    const importance = this.#clampImportance(
      Math.max(...memories.map((memory) => memory.importance)),
    );
    const wording = {
      category,
      importance,
      permanence,
      ...said,
      text: toStorableText(said.text, MAX_MEMORY_CHARS),
    };
    const ids = memories.map(({ id }) => id);
    const { memory } = this.#apply({ kind: "merge", ids, wording });
    return { kind: "merged", memory, of: memories };
  }

  /** @throws UserFacingError */
  forget(written: string): ChangeResult {
    const memories = this.findAll(written);
    for (const { id } of memories) this.store.forget(this.project.id, id);
    return { kind: "deleted", memories };
  }

  /** Finds a memory by its number or its ref. @throws UserFacingError */
  find(written: string): Memory {
    const name = written.trim();
    if (name === "") throw new UserFacingError(this.#isModel ? REF_HINT : NUMBER_HINT);
    const number = /^#?(\d{1,9})$/.exec(name)?.[1];
    const ref = readRef(name, "m");
    if (number === undefined && ref === null) {
      const said = toSingleLine(name).slice(0, 60);
      throw new UserFacingError(
        `"${said}" is neither the number of a memory nor a ref such as m:k3f9ab.`,
      );
    }
    const { store, project } = this;
    const byNumber = number === undefined ? null : store.numbered(project.id, Number(number));
    const memory = byNumber ?? (ref === null ? null : store.find(project.id, ref));
    // A model can't confirm, change or archive a candidate, which waits for a person's confirmation.
    const isHidden = this.#isModel && memory?.state.kind === "candidate";
    if (memory && !isHidden) return memory;
    throw new UserFacingError(
      `This project has no memory ${number ?? ref}; a list shows those it has.`,
    );
  }

  /** Finds the memories of a list of numbers or refs, split at commas or spaces. @throws UserFacingError */
  findAll(written: string): readonly Memory[] {
    const memories = parseRefs(written).map((one) => this.find(one));
    if (memories.length === 0) throw new UserFacingError(this.#isModel ? REF_HINT : NUMBER_HINT);
    return memories;
  }

  get #isModel(): boolean {
    return this.by.by === "model";
  }

  /** @throws UserFacingError */
  #checkAllowance(): void {
    const { sessionId, nowMs } = this.by;
    if (computeRemainingAllowance(this.store.byModels(this.project.id, sessionId, nowMs)) > 0)
      return;
    throw new UserFacingError(
      `Nothing was stored: models may store ${MAX_MEMORIES_PER_SESSION} memories in a session and ${MAX_MEMORIES_PER_DAY} in a day. Update or merge others.`,
    );
  }

  #clampImportance(importance: number): number {
    return this.#isModel ? Math.min(importance, MAX_MODEL_IMPORTANCE) : importance;
  }

  #apply(change: MemoryChange) {
    const [outcome] = this.store.apply(this.project.id, [change], this.by);
    if (!outcome || outcome.kind === "missing")
      throw new UserFacingError("The memory no longer exists.");
    return outcome;
  }
}

export function parseRefs(written: string): readonly string[] {
  return [...new Set(written.split(/[\s,;]+/u).filter((one) => one !== ""))];
}

export function isActive({ state }: Pick<Memory, "state">): boolean {
  return state.kind === "active";
}

export function isCandidate({ state }: Pick<Memory, "state">): boolean {
  return state.kind === "candidate";
}

/** Returns the name of a memory in lists: its number, or its ref if it has none. */
export function formatMemoryName({ number, ref }: Pick<Memory, "number" | "ref">): string {
  return number === null ? ref : String(number);
}

/** Renders one line per memory, for a list that a model or a person reads. */
export function renderMemoryLine({ ref, category, text, importance, permanence }: Memory): string {
  const kept = permanence === "permanent" ? ", permanent" : "";
  return `[${ref}] ${category} ${importance}${kept}: ${toSingleLine(text)}`;
}

export const DEFAULT_CATEGORY: Category = "ARCHITECTURE";
