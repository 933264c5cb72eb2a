// Finds memories and notes for `ctx_search`, and shows them for `ctx_expand`.
import { hashText } from "../../context/canonical.ts";
import type { Finder, FinderResult, Finding, SemanticCorpus } from "../../feature-api/finders.ts";
import { toFaultFields } from "../../log/fault.ts";
import type { Log } from "../../log/log.ts";
import type { ProjectId } from "../../project/project.ts";
import { isCandidate } from "./actions.ts";
import type { ProjectMemory } from "./project-memory.ts";
import type { Memory, MemoryId, ReadableMemory } from "./record.ts";
import type { Note } from "./schema.ts";
import { type SearchableText, searchTexts, toSearchableText } from "./search.ts";

/** A search returns at most this many memories and notes. */
const MAX_FINDINGS = 5;

interface MemoryItem {
  readonly finding: Finding;
  /** The memory that the text belongs to; null for a note. */
  readonly memoryId: MemoryId | null;
}

/** Holds a project's searchable memories at one version of the store. */
interface SearchableMemories {
  readonly project: ProjectId;
  readonly version: number;
  readonly items: readonly SearchableText<MemoryItem>[];
}

/**
 * Returns the search by words and the texts for the search by meaning, which leaves out notes because
 * sessions are shown those anyway.
 */
export function createMemoryFinder(
  memory: ProjectMemory,
  log: Log,
  now: () => number,
): { readonly finder: Finder; readonly semantic: SemanticCorpus } {
  let known: SearchableMemories | null = null;

  async function loadItems(): Promise<readonly SearchableText<MemoryItem>[]> {
    const { id } = await memory.findProject();
    const version = memory.store.version();
    if (known?.project === id && known.version === version) return known.items;
    const memories = memory.store.readable(id, Number.MAX_SAFE_INTEGER);
    known = {
      project: id,
      version,
      items: memories.map((one) => toSearchableText(toItem(one), one.text)),
    };
    return known.items;
  }

  async function withFallback<Result>(
    otherwise: Result,
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      log.warn("memory.search_failed", toFaultFields(error));
      return otherwise;
    }
  }

  const finder: Finder = {
    search: (sessionId, terms) =>
      withFallback<FinderResult>({ findings: [], inContext: 0 }, async () => {
        const { id } = await memory.findProject();
        const notes = memory.store.openNotes(id, sessionId);
        const all = [
          ...(await loadItems()),
          ...notes.map((note) => toSearchableText(toNoteItem(note), note.text)),
        ];
        const listed = memory.listShownRefs(sessionId);
        const found = searchTexts(all, terms);
        const fresh = found
          .filter(({ finding }) => !listed.has(finding.ref))
          .slice(0, MAX_FINDINGS);
        const used = fresh.flatMap(({ memoryId }) => (memoryId === null ? [] : [memoryId]));
        if (used.length > 0) memory.store.used(used, now());
        const inContext = found.filter(({ finding }) => listed.has(finding.ref)).length;
        return { findings: fresh.map(({ finding }) => finding), inContext };
      }),
    show: (ref) =>
      withFallback<Finding | null>(null, async () => {
        const { id } = await memory.findProject();
        const own = memory.store.find(id, ref);
        if (own) return isCandidate(own) ? null : toFinding(own, describeState(own));
        return (
          (await loadItems()).find(({ item }) => item.finding.ref === ref)?.item.finding ?? null
        );
      }),
  };

  const mapItemsByRef = async () =>
    new Map((await loadItems()).map(({ item }) => [`${item.finding.ref}`, item]));
  const findItemText = (item: MemoryItem | undefined) => item?.finding.lines.join("\n") ?? null;
  const semantic: SemanticCorpus = {
    kind: "memory",
    list: async () =>
      [...(await mapItemsByRef())].map(([key, item]) => ({
        key,
        digest: hashText(findItemText(item) ?? ""),
      })),
    texts: async (keys) => {
      const all = await mapItemsByRef();
      return keys.map((key) => findItemText(all.get(key)));
    },
    find: async ({ sessionId }, keys) => {
      const all = await mapItemsByRef();
      const listed = memory.listShownRefs(sessionId);
      const found = keys.map((key) => (listed.has(key) ? null : all.get(key)));
      const used = found.flatMap((item) => (item?.memoryId == null ? [] : [item.memoryId]));
      if (used.length > 0) memory.store.used(used, now());
      return keys.map((key, at) =>
        listed.has(key) ? "in context" : (found[at]?.finding ?? "gone"),
      );
    },
  };
  return { finder, semantic };
}

function toItem(memory: ReadableMemory): MemoryItem {
  const words = memory.sharedBy === null ? "memory" : `memory of ${memory.sharedBy}`;
  return { finding: toFinding(memory, words), memoryId: memory.id };
}

function toFinding({ ref, category, text, changedAtMs }: Memory, words: string): Finding {
  return { ref, words: `${words}, ${category}`, lines: [text], madeAtMs: changedAtMs };
}

function describeState({ state }: Memory): string {
  return state.kind === "active" ? "memory" : `${state.kind} memory`;
}

function toNoteItem({ ref, text, writtenAtMs }: Note): MemoryItem {
  return {
    finding: { ref, words: "open note", lines: [text], madeAtMs: writtenAtMs },
    memoryId: null,
  };
}
