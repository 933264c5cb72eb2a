// Defines the improve task: it shortens wordy memories without changing what they say.
import type { Memory } from "../memory/record.ts";
import {
  composeQuestion,
  findMemory,
  renderMemory,
  renderSection,
  splitIntoChunks,
  type Task,
  toRejection,
  toStorableText,
} from "./task.ts";
import {
  computeKeptShare,
  extractSubstance,
  keepsOrder,
  listMissingTokens,
} from "./wording-guard.ts";

const MAX_MEMORIES = 25;
const MIN_WORDY_CHARS = 120;
/** A rewrite may have at most this share of the old length; a smaller saving is not worth announcing. */
const MAX_REWRITE_LENGTH_SHARE = 0.9;
const MIN_KEPT_WORD_SHARE = 0.7;

export const improveTask: Task = {
  name: "improve",
  inspect({ memories, fresh }) {
    const wordy = memories
      .filter(({ id, permanence }) => permanence === "ordinary" && !fresh.has(id))
      .filter(isWordy)
      .toSorted((a, b) => b.text.length - a.text.length);
    return splitIntoChunks(wordy, MAX_MEMORIES).map((some) => ({
      memories: some,
      groups: [],
      paths: [],
    }));
  },
  question: ({ memories, nowMs }) =>
    composeQuestion(IMPROVE_PROMPT, [
      renderSection(
        "memories",
        memories.map((memory) => renderMemory(memory, nowMs)),
      ),
    ]),
  check(said, asked) {
    if (said.do !== "rewrite")
      return toRejection("not_of_this_task", "ref" in said ? said.ref : "");
    const memory = findMemory(asked, said.ref);
    if (!memory) return toRejection("unknown_memory", said.ref);
    if (memory.permanence === "permanent") return toRejection("permanent", said.ref);
    const text = toStorableText(said.text, said.ref);
    if (typeof text !== "string") return text;
    const [old, next] = [extractSubstance(memory.text), extractSubstance(text)];
    if (listMissingTokens(old.distinctive, next.distinctive).length > 0)
      return toRejection("loses", said.ref);
    const more = [
      ...listMissingTokens(next.distinctive, old.distinctive),
      ...listMissingTokens(next.stems, new Set(old.stems)),
    ];
    if (more.length > 0 || !keepsOrder(old, next)) return toRejection("invents", said.ref);
    if (computeKeptShare(old, next) < MIN_KEPT_WORD_SHARE) return toRejection("loses", said.ref);
    if (text.length > memory.text.length * MAX_REWRITE_LENGTH_SHARE)
      return toRejection("not_shorter", said.ref);
    return { kind: "rewrite", id: memory.id, text, why: said.why };
  },
};

const IMPROVE_PROMPT = `The memories below are wordy. Where one can be said shorter, propose it: {"do": "rewrite", "ref": "m:…", "text": "…", "why": "…"}. Leave words out; keep the order of the rest, and add none. Every name, number, path, value, condition and "not" stays. Leave a memory out of your answer where that is not possible.`;

function isWordy({ text }: Memory): boolean {
  if (text.length > MIN_WORDY_CHARS) return true;
  const words = text.split(/\s+/u).length;
  const { distinctive, stems } = extractSubstance(text);
  return words >= 12 && (distinctive.size + stems.length) / words < 0.6;
}
