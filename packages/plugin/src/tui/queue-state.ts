// Holds the state of the queue's dialog, and decides what each key does; pure.
import type { QueuedPrompt, ShownQueue } from "../feature-api/screen.ts";

/** The state of the dialog. The chosen prompt is known by its id, as places change while it is open. */
export interface QueueState {
  /** The queue; null when it was not read yet. */
  readonly queue: ShownQueue | null;
  readonly chosenId: string | null;
  /** The newest failure; null when there is none. */
  readonly trouble: string | null;
}

export const QUEUE_KEYS = ["up", "down", "move-up", "move-down", "add", "edit", "drop"] as const;
export type QueueKey = (typeof QUEUE_KEYS)[number];

/** A change of the queue. */
export type QueueChange =
  | { readonly kind: "add"; readonly text: string }
  | { readonly kind: "edit"; readonly id: string; readonly text: string }
  | { readonly kind: "move"; readonly id: string; readonly by: 1 | -1 }
  | { readonly kind: "drop"; readonly id: string };

/** The action that a key asks for. */
export type KeyAction =
  | { readonly kind: "none" }
  | { readonly kind: "choose"; readonly id: string }
  /** A text is asked for first: a new prompt, or the prompt to edit. */
  | { readonly kind: "write"; readonly edited: QueuedPrompt | null }
  | { readonly kind: "change"; readonly change: QueueChange };

const NOTHING: KeyAction = { kind: "none" };

export function pressed({ queue, chosenId }: QueueState, key: QueueKey): KeyAction {
  if (queue === null) return NOTHING;
  if (key === "add") return { kind: "write", edited: null };
  const { waiting } = queue;
  const at = waiting.findIndex(({ id }) => id === chosenId);
  const chosen = waiting[at];
  if (!chosen) return NOTHING;
  switch (key) {
    case "up":
    case "down": {
      const next = waiting[at + (key === "up" ? -1 : 1)];
      return next ? { kind: "choose", id: next.id } : NOTHING;
    }
    case "move-up":
    case "move-down": {
      const by = key === "move-up" ? -1 : 1;
      if (!isPlace(at + 1 + by, queue)) return NOTHING;
      return { kind: "change", change: { kind: "move", id: chosen.id, by } };
    }
    case "edit":
      return { kind: "write", edited: chosen };
    case "drop":
      return { kind: "change", change: { kind: "drop", id: chosen.id } };
  }
}

/** The queue as it is now. Where the chosen prompt has left it, the one that took its place is chosen. */
export function withQueue(state: QueueState, queue: ShownQueue): QueueState {
  const { waiting } = queue;
  if (waiting.some(({ id }) => id === state.chosenId)) return { ...state, queue };
  const former = state.queue?.waiting.findIndex(({ id }) => id === state.chosenId) ?? 0;
  const next = waiting[Math.min(Math.max(0, former), waiting.length - 1)];
  return { ...state, queue, chosenId: next?.id ?? null };
}

/**
 * Formats a change as the arguments of `/ctx-queue`, by the places of this moment. Returns null when there
 * is nothing to do: the text is empty, the prompt has left the queue, or it is at the end already.
 */
export function formatQueueArguments(change: QueueChange, queue: ShownQueue): string | null {
  if (change.kind === "add") return change.text.trim() === "" ? null : `-- ${change.text}`;
  const place = queue.waiting.findIndex(({ id }) => id === change.id) + 1;
  if (place === 0) return null;
  switch (change.kind) {
    case "edit":
      return change.text.trim() === "" ? null : `edit ${place} ${change.text}`;
    case "drop":
      return `drop ${place}`;
    case "move":
      return isPlace(place + change.by, queue) ? `move ${place} ${place + change.by}` : null;
  }
}

function isPlace(place: number, { length }: ShownQueue): boolean {
  return place >= 1 && place <= length;
}
