// What the tools and commands of memory do, and what they answer.

import { inLine } from "../context/inert.ts";
import { Refusal } from "../features/refusal.ts";
import { type Ref, readRef } from "../projection/ref.ts";
import { saidAlready } from "./promote.ts";
import type { Category, Change, Memory, MemoryChange, Project, Wording } from "./record.ts";
import type { MemoryStore } from "./sqlite-store.ts";
import { cleanText, MAX_MEMORY_CHARS, refusalText } from "./text.ts";

/** Of what a model writes by itself, and of what a person does. */
export const IMPORTANCE = { model: 60, user: 70 } as const;

const NO_REF = "Name a memory by its ref, such as m:k3f9ab; a list shows them.";

/** A project's memories, changed by one who says so. */
export class MemoryDesk {
  constructor(
    private readonly store: MemoryStore,
    private readonly project: Project,
    private readonly by: Change,
  ) {}

  /** All that there is to list: memories whatever their state, others' of the workspace, open notes. */
  async known() {
    const { store, project } = this;
    const memories = await store.list(project.id);
    const readable = await store.readable(project.id, Number.MAX_SAFE_INTEGER);
    const shared = readable.filter(({ sharedBy }) => sharedBy !== null);
    const notes = await store.openNotes(project.id, this.by.sessionId);
    return { project, memories, members: await store.members(project.id), shared, notes };
  }

  /** With the member who gave it its present form. @throws Refusal */
  async show(written: string) {
    const memory = await this.find(written);
    const members = await this.store.members(this.project.id);
    return { memory, member: members.get(memory.id) ?? null };
  }

  /** @throws Refusal */
  async write(wording: Wording): Promise<string> {
    const text = textOf(wording.text);
    const active = (await this.store.list(this.project.id)).filter(isActive);
    const known = saidAlready(text, active);
    if (known) {
      await this.#apply({ kind: "confirm", id: known.id, importance: wording.importance });
      return `Already stored as ${known.ref}: ${inLine(known.text)}`;
    }
    const { memory } = await this.#apply({ kind: "add", wording: { ...wording, text } });
    return `Stored as ${memory.ref}.`;
  }

  /** @throws Refusal */
  async edit(written: string, wording: Partial<Wording>): Promise<string> {
    const memory = await this.find(written);
    const text = wording.text === undefined ? {} : { text: textOf(wording.text) };
    const outcome = await this.#apply({
      kind: "edit",
      id: memory.id,
      wording: { ...wording, ...text },
    });
    if (outcome.kind === "known") {
      return `${outcome.memory.ref} says this already: ${memory.ref} was merged into it.`;
    }
    return `Updated ${memory.ref}.`;
  }

  /** @throws Refusal */
  async archive(written: string): Promise<string> {
    const memories = await this.findAll(written);
    for (const { id } of memories) await this.#apply({ kind: "archive", id });
    return `Archived ${named(memories)}.`;
  }

  /** @throws Refusal */
  async restore(written: string): Promise<string> {
    const memory = await this.find(written);
    const outcome = await this.#apply({ kind: "restore", id: memory.id });
    if (outcome.kind === "known") return `${outcome.memory.ref} says this already.`;
    return `Restored ${memory.ref}.`;
  }

  /** @throws Refusal */
  async merge(written: string, said: Pick<Wording, "text"> & Partial<Wording>): Promise<string> {
    const memories = await this.findAll(written);
    const [first] = memories;
    if (!first || memories.length < 2)
      throw new Refusal("Name the memories to merge, two or more.");
    const { category, permanence } = first;
    const importance = Math.max(...memories.map((memory) => memory.importance));
    const wording = { category, importance, permanence, ...said, text: textOf(said.text) };
    const ids = memories.map(({ id }) => id);
    const { memory } = await this.#apply({ kind: "merge", ids, wording });
    return `Merged as ${memory.ref}, in place of ${named(memories)}.`;
  }

  /** @throws Refusal */
  async forget(written: string): Promise<string> {
    const memories = await this.findAll(written);
    for (const { id } of memories) await this.store.forget(this.project.id, id);
    return `Deleted ${named(memories)} for good.`;
  }

  /** @throws Refusal */
  async find(written: string): Promise<Memory> {
    const ref = readRef(written, "m");
    if (written.trim() === "") throw new Refusal(NO_REF);
    if (ref === null) {
      throw new Refusal(
        `"${inLine(written).slice(0, 60)}" is not the ref of a memory; one looks like m:k3f9ab.`,
      );
    }
    const memory = await this.store.find(this.project.id, ref);
    if (!memory) throw new Refusal(`This project has no memory ${ref}; a list shows those it has.`);
    return memory;
  }

  /** Each of a list of refs, with commas or spaces between. @throws Refusal */
  async findAll(written: string): Promise<readonly Memory[]> {
    const memories = await Promise.all(refsIn(written).map((ref) => this.find(ref)));
    if (memories.length === 0) throw new Refusal(NO_REF);
    return memories;
  }

  async #apply(change: MemoryChange) {
    const [outcome] = await this.store.apply(this.project.id, [change], this.by);
    if (!outcome || outcome.kind === "missing") throw new Refusal("The memory is gone.");
    return outcome;
  }
}

export function refsIn(written: string): readonly string[] {
  return [...new Set(written.split(/[\s,;]+/u).filter((one) => one !== ""))];
}

export function isActive({ state }: Pick<Memory, "state">): boolean {
  return state.kind === "active";
}

/** @throws Refusal */
function textOf(written: string): string {
  const cleaned = cleanText(written, MAX_MEMORY_CHARS);
  if (cleaned.kind === "refused") throw new Refusal(refusalText(cleaned.why, MAX_MEMORY_CHARS));
  return cleaned.text;
}

function named(memories: readonly { readonly ref: Ref }[]): string {
  return memories.map(({ ref }) => ref).join(", ");
}

/** One line per memory, for a list that a model or a person reads. */
export function memoryLine({ ref, category, text, importance, permanence }: Memory): string {
  const kept = permanence === "permanent" ? ", permanent" : "";
  return `[${ref}] ${category} ${importance}${kept}: ${inLine(text)}`;
}

export const DEFAULT_CATEGORY: Category = "ARCHITECTURE";
