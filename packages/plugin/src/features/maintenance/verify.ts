// Defines the verify task: it compares what memories say about files with those files.
import type { Memory } from "../memory/record.ts";
import type { ProposedAction } from "./answer.ts";
import {
  type Batch,
  composeQuestion,
  findMemory,
  findNamedPaths,
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
  listMissingTokens,
} from "./wording-guard.ts";

// Selects the parts of a file that a question shows, and tests whether the file contains a quote. Pure.

const CONTEXT_LINES = 2;
const GAP_MARK = "[…]";

/** Returns the whole text if it fits; otherwise its first lines and those near one of the words. */
export function cutExcerpt(text: string, needles: readonly string[], mostChars: number): string {
  if (text.length <= mostChars) return text;
  const lines = text.split("\n");
  const words = needles.filter((word) => word.length >= 3);
  const hits = lines.map((line) => {
    const lower = line.toLowerCase();
    return words.some((word) => lower.includes(word));
  });
  const isNearHit = (at: number) =>
    at < CONTEXT_LINES ||
    hits.slice(Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1).some(Boolean);
  let [shown, wasNear] = ["", true];
  for (const [at, line] of lines.entries()) {
    const near = isNearHit(at);
    const next = near ? `${line}\n` : wasNear ? `${GAP_MARK}\n` : "";
    if (shown.length + next.length > mostChars) break;
    shown += next;
    wasNear = near;
  }
  return shown;
}

/** A quote shorter than this proves nothing, because it might occur anywhere. */
const MIN_QUOTE_CHARS = 4;

export function containsQuote(text: string, quote: string): boolean {
  const wanted = collapseWhitespace(quote);
  return wanted.length >= MIN_QUOTE_CHARS && collapseWhitespace(text).includes(wanted);
}

function collapseWhitespace(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

const MAX_MEMORIES = 12;
const MAX_PATHS = 6;
const MAX_FILE_CHARS = 8_000;
/** A corrected text must keep at least this share of the memory's words. */
const MIN_KEPT_WORD_SHARE = 0.5;

export const verifyTask: Task = {
  name: "verify",
  inspect: findBatches,
  question(asked) {
    const { memories, paths, texts, files: known, nowMs } = asked;
    const shown = memories.map((memory) => ({
      ...renderMemory(memory, nowMs),
      files: findNamedPaths(memory.text),
    }));
    const files = paths.flatMap((path): readonly object[] => {
      if (known.get(path) === "gone") return [{ path, gone: true }];
      return texts.has(path) ? [{ path, content: renderFileText(asked, path) }] : [];
    });
    return composeQuestion(VERIFY_PROMPT, [
      renderSection("memories", shown),
      renderSection("files", files),
    ]);
  },
  check: checkAction,
};

const VERIFY_PROMPT = `Below are memories that name files, and these files as they are now (long ones in parts). For each memory:
- its files bear it out: {"do": "checked", "ref": "m:…"}
- a file contradicts it: {"do": "rewrite", "ref": "m:…", "text": "the memory, corrected in that place only", "path": "…", "quote": "the line of the file that says so, word for word", "why": "…"}
- it is wrong and there is nothing to correct: {"do": "archive", "ref": "m:…", "path": "…", "quote": "…", "why": "…"}; where all its files are gone and it says nothing without them, too, without a quote.
Where the files don't say, leave the memory out of your answer.`;

function findBatches({ memories, files, fresh }: ProjectState): readonly Batch[] {
  const named = memories
    .filter(({ id, permanence }) => permanence === "ordinary" && !fresh.has(id))
    .map((memory) => ({
      memory,
      paths: findNamedPaths(memory.text).filter((one) => files.has(one)),
    }))
    .filter(({ paths }) => paths.length > 0)
    .toSorted((a, b) => ((a.paths[0] ?? "") < (b.paths[0] ?? "") ? -1 : 1));
  const batches: { readonly memories: Memory[]; readonly paths: Set<string> }[] = [];
  for (const { memory, paths } of named) {
    const last = batches.at(-1);
    const all = new Set([...(last?.paths ?? []), ...paths]);
    if (!last || last.memories.length >= MAX_MEMORIES || all.size > MAX_PATHS) {
      batches.push({ memories: [memory], paths: new Set(paths) });
    } else {
      last.memories.push(memory);
      for (const path of paths) last.paths.add(path);
    }
  }
  return batches.map((batch) => ({
    memories: batch.memories,
    groups: [],
    paths: [...batch.paths],
  }));
}

/** Renders the parts of a file that concern the memories that name it. */
function renderFileText({ memories, texts }: TaskInput, path: string): string {
  const about = memories.filter(({ text }) => findNamedPaths(text).includes(path));
  const needles = about.flatMap(({ text }) => [...collectWords(extractSubstance(text))]);
  return cutExcerpt(texts.get(path) ?? "", needles, MAX_FILE_CHARS);
}

function checkAction(said: ProposedAction, asked: TaskInput): Proposal | Rejection {
  if (said.do === "merge" || said.do === "supersede" || said.do === "document") {
    return toRejection("not_of_this_task", "ref" in said ? said.ref : "");
  }
  const memory = findMemory(asked, said.ref);
  if (!memory) return toRejection("unknown_memory", said.ref);
  switch (said.do) {
    case "checked":
      return { kind: "checked", id: memory.id, why: said.why };
    case "archive": {
      const { why } = said;
      const isGone = findNamedPaths(memory.text).every((path) => asked.files.get(path) === "gone");
      if (!isGone && !isEvidence(said, memory, asked))
        return toRejection("no_evidence", memory.ref);
      return { kind: "archive", id: memory.id, why };
    }
    case "rewrite":
      return correctMemory(said, memory, asked);
  }
}

function correctMemory(
  said: Extract<ProposedAction, { do: "rewrite" }>,
  memory: Memory,
  asked: TaskInput,
): Proposal | Rejection {
  const text = toStorableText(said.text, memory.ref);
  if (typeof text !== "string") return text;
  if (!isEvidence(said, memory, asked)) return toRejection("no_evidence", memory.ref);
  const [old, next] = [extractSubstance(memory.text), extractSubstance(text)];
  const known = new Set([...collectWords(old), ...collectWords(extractSubstance(said.quote))]);
  if (listMissingTokens(collectWords(next), known).length > 0)
    return toRejection("invents", memory.ref);
  const paths = findNamedPaths(memory.text).filter((path) => asked.files.get(path) === "there");
  if (listMissingTokens(paths, new Set(findNamedPaths(text))).length > 0)
    return toRejection("loses", memory.ref);
  if (computeKeptShare(old, next) < MIN_KEPT_WORD_SHARE) return toRejection("loses", memory.ref);
  return { kind: "rewrite", id: memory.id, text, why: said.why };
}

/** Returns true if the quote is from a file that the memory names, and shares a word with the memory. */
function isEvidence(
  { path, quote }: { readonly path: string; readonly quote: string },
  { text }: Memory,
  { texts }: TaskInput,
): boolean {
  const content = texts.get(path);
  if (content === undefined || !findNamedPaths(text).includes(path)) return false;
  if (!containsQuote(content, quote)) return false;
  const own = collectWords(extractSubstance(text));
  return [...collectWords(extractSubstance(quote))].some((word) => own.has(word));
}
