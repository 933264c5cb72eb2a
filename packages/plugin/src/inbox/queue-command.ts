// Parses the arguments of /ctx-queue.

/** What `/ctx-queue` was asked to do; places are counted from 1, as the list shows them. */
export type QueueRequest =
  | { readonly kind: "list" }
  | { readonly kind: "add"; readonly text: string }
  | { readonly kind: "edit"; readonly place: number; readonly text: string }
  | { readonly kind: "drop"; readonly place: number }
  | { readonly kind: "drop-all" }
  | { readonly kind: "move"; readonly from: number; readonly to: number };

/**
 * `edit`, `drop` and `move` count as such only in the form that they have, so that a prompt may
 * begin with these words.
 */
export function parseQueueRequest(given: string): QueueRequest {
  const text = given.trim();
  if (text === "" || text === "list") return { kind: "list" };
  const edit = /^edit\s+(\d+)\s+([\s\S]+)$/.exec(text);
  if (edit) return { kind: "edit", place: Number(edit[1]), text: String(edit[2]) };
  const drop = /^drop\s+(\d+|all)$/.exec(text);
  if (drop?.[1] === "all") return { kind: "drop-all" };
  if (drop) return { kind: "drop", place: Number(drop[1]) };
  const move = /^move\s+(\d+)\s+(\d+)$/.exec(text);
  if (move) return { kind: "move", from: Number(move[1]), to: Number(move[2]) };
  return { kind: "add", text };
}
