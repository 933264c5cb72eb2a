// Memories and notes as `ctx_search` finds them and `ctx_expand` shows them.

import { hashText } from "../../context/canonical.ts";
import type { Finder, Finding, Found, MeantTexts } from "../../features/finders.ts";
import { faultFields } from "../../log/fault.ts";
import type { Log } from "../../log/log.ts";
import type { ProjectId } from "../../project/project.ts";
import { isCandidate } from "./answers.ts";
import type { ProjectMemory } from "./project-memory.ts";
import type { Memory, MemoryId, ReadableMemory } from "./record.ts";
import type { Note } from "./schema.ts";
import { type Searchable, searchable, searchTexts } from "./search.ts";

/** So many are given to one look-up. */
const MOST_FOUND = 5;

interface Item {
  readonly finding: Finding;
  /** Null for a note. */
  readonly memoryId: MemoryId | null;
}

/** Of a project, at one version of the store. */
interface Known {
  readonly project: ProjectId;
  readonly version: number;
  readonly items: readonly Searchable<Item>[];
}

/** @returns what finds them by words, and what of them may be found by meaning: notes are in view as it is */
export function memoryFinder(
  memory: ProjectMemory,
  log: Log,
  now: () => number,
): { readonly finder: Finder; readonly meant: MeantTexts } {
  let known: Known | null = null;

  async function items(): Promise<readonly Searchable<Item>[]> {
    const { id } = await memory.project();
    const version = memory.store.version();
    if (known?.project === id && known.version === version) return known.items;
    const memories = memory.store.readable(id, Number.MAX_SAFE_INTEGER);
    known = {
      project: id,
      version,
      items: memories.map((one) => searchable(itemOf(one), one.text)),
    };
    return known.items;
  }

  async function guarded<Result>(otherwise: Result, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      log.warn("memory.search_failed", faultFields(error));
      return otherwise;
    }
  }

  const finder: Finder = {
    search: (sessionId, terms) =>
      guarded<Found>({ findings: [], inContext: 0 }, async () => {
        const { id } = await memory.project();
        const notes = memory.store.openNotes(id, sessionId);
        const all = [
          ...(await items()),
          ...notes.map((note) => searchable(noteItem(note), note.text)),
        ];
        const listed = memory.shownRefs(sessionId);
        const found = searchTexts(all, terms);
        const fresh = found.filter(({ finding }) => !listed.has(finding.ref)).slice(0, MOST_FOUND);
        const used = fresh.flatMap(({ memoryId }) => (memoryId === null ? [] : [memoryId]));
        if (used.length > 0) memory.store.used(used, now());
        const inContext = found.filter(({ finding }) => listed.has(finding.ref)).length;
        return { findings: fresh.map(({ finding }) => finding), inContext };
      }),
    show: (ref) =>
      guarded<Finding | null>(null, async () => {
        const { id } = await memory.project();
        const own = memory.store.find(id, ref);
        if (own) return isCandidate(own) ? null : findingOf(own, stateWords(own));
        return (await items()).find(({ item }) => item.finding.ref === ref)?.item.finding ?? null;
      }),
  };

  const byRef = async () =>
    new Map((await items()).map(({ item }) => [`${item.finding.ref}`, item]));
  const textOf = (item: Item | undefined) => item?.finding.lines.join("\n") ?? null;
  const meant: MeantTexts = {
    kind: "memory",
    list: async () =>
      [...(await byRef())].map(([key, item]) => ({ key, digest: hashText(textOf(item) ?? "") })),
    texts: async (keys) => {
      const all = await byRef();
      return keys.map((key) => textOf(all.get(key)));
    },
    find: async ({ sessionId }, keys) => {
      const all = await byRef();
      const listed = memory.shownRefs(sessionId);
      const found = keys.map((key) => (listed.has(key) ? null : all.get(key)));
      const used = found.flatMap((item) => (item?.memoryId == null ? [] : [item.memoryId]));
      if (used.length > 0) memory.store.used(used, now());
      return keys.map((key, at) =>
        listed.has(key) ? "in context" : (found[at]?.finding ?? "gone"),
      );
    },
  };
  return { finder, meant };
}

function itemOf(memory: ReadableMemory): Item {
  const words = memory.sharedBy === null ? "memory" : `memory of ${memory.sharedBy}`;
  return { finding: findingOf(memory, words), memoryId: memory.id };
}

function findingOf({ ref, category, text, changedAtMs }: Memory, words: string): Finding {
  return { ref, words: `${words}, ${category}`, lines: [text], madeAtMs: changedAtMs };
}

function stateWords({ state }: Memory): string {
  return state.kind === "active" ? "memory" : `${state.kind} memory`;
}

function noteItem({ ref, text, writtenAtMs }: Note): Item {
  return {
    finding: { ref, words: "open note", lines: [text], madeAtMs: writtenAtMs },
    memoryId: null,
  };
}
