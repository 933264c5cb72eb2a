// Parses the arguments of /ctx-queue.

/** A parsed `/ctx-queue` request; places are counted from 1, as the list shows them. */
export type QueueRequest =
  | { readonly kind: "list" }
  | { readonly kind: "add"; readonly text: string }
  | { readonly kind: "edit"; readonly place: number; readonly text: string }
  | { readonly kind: "drop"; readonly from: number; readonly to: number }
  | { readonly kind: "drop-all" }
  | { readonly kind: "move"; readonly from: number; readonly to: number }
  /** A change that could not be understood; it never becomes a prompt. */
  | { readonly kind: "malformed"; readonly wanted: string };

/** Any text after this marker is a prompt. */
const VERBATIM_PREFIX_PATTERN = /^--\s+/;

const EXPECTED_ARGUMENTS = {
  edit: "`edit` takes a number and the new text: edit 2 Write two tests",
  drop: "`drop` takes a number, a range, or all: drop 2, drop 3-6, drop all",
  move: "`move` takes two numbers: move 3 1",
} as const;

/**
 * Parses a request. A prompt may begin with the words `edit`, `drop` or `move`; it is taken for a change if
 * places follow, or too few words for a prompt.
 */
export function parseQueueRequest(given: string): QueueRequest {
  const text = given.trim();
  if (text === "" || text === "list") return { kind: "list" };
  if (VERBATIM_PREFIX_PATTERN.test(text))
    return { kind: "add", text: text.replace(VERBATIM_PREFIX_PATTERN, "") };
  const [, word, rest = ""] = /^(edit|drop|move)(?:\s+([\s\S]+))?$/.exec(text) ?? [];
  switch (word) {
    case "edit": {
      const edit = /^(\d+)\s+([\s\S]+)$/.exec(rest);
      if (edit) return { kind: "edit", place: Number(edit[1]), text: String(edit[2]) };
      return looksLikeChange(rest, 0)
        ? { kind: "malformed", wanted: EXPECTED_ARGUMENTS.edit }
        : createAddRequest(text);
    }
    case "drop": {
      if (rest === "all") return { kind: "drop-all" };
      const drop = /^(\d+)(?:\s*-\s*(\d+))?$/.exec(rest);
      if (drop) return { kind: "drop", from: Number(drop[1]), to: Number(drop[2] ?? drop[1]) };
      return looksLikeChange(rest, 1)
        ? { kind: "malformed", wanted: EXPECTED_ARGUMENTS.drop }
        : createAddRequest(text);
    }
    case "move": {
      const move = /^(\d+)\s+(\d+)$/.exec(rest);
      if (move) return { kind: "move", from: Number(move[1]), to: Number(move[2]) };
      return looksLikeChange(rest, 1)
        ? { kind: "malformed", wanted: EXPECTED_ARGUMENTS.move }
        : createAddRequest(text);
    }
    default:
      return createAddRequest(text);
  }
}

function createAddRequest(text: string): QueueRequest {
  return { kind: "add", text };
}

/** Returns true if there are too few words for a prompt, or a digit is among the first two words. */
function looksLikeChange(rest: string, fewWords: number): boolean {
  const words = rest.split(/\s+/).filter((word) => word !== "");
  return words.length <= fewWords || words.slice(0, 2).some((word) => /\d/.test(word));
}
