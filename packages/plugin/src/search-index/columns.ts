// What of a document stands in the tables of words: the same at its coming and at its leaving.
import type { ProjectKind } from "./collection.ts";
import { asPieces, asWords } from "./words.ts";

/** Whose words: the user's, the assistant's, what a tool or an attachment brought; or what a project has. */
export type DocumentKind = "user" | "assistant" | "output" | ProjectKind;

/** Between the fields of a text that has some; no word of it. */
export const FIELD = "\x1f";

/** How often each field of a commit counts: a subject says more than a body, a path, or who wrote it. */
const COMMIT_WEIGHTS = [4, 1, 2, 1];

interface Columns {
  readonly words: string;
  /** Null: it isn't found by pieces of its words. */
  readonly pieces: string | null;
}

/** Of a document's passage `at`, from 0; its first one is found by the document's own words, too. */
export function searchColumns(
  { kind, words }: { readonly kind: DocumentKind; readonly words: string },
  at: number,
  text: string,
): Columns {
  switch (kind) {
    case "commit":
      return { words: asWords(weighed(text)), pieces: null };
    case "memory":
    case "segment":
      // They are searched where they stand.
      return { words: "", pieces: null };
    case "user":
    case "assistant":
    case "output": {
      const whole = at === 0 ? `${words}\n${text}` : text;
      return { words: asWords(whole), pieces: asPieces(whole) };
    }
  }
}

function weighed(text: string): string {
  const fields = text.split(FIELD);
  return fields.flatMap((field, at) => Array(COMMIT_WEIGHTS[at] ?? 1).fill(field)).join("\n");
}
